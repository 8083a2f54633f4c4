export { filter, unique } from "./filter";
export { type Bins, histogram } from "./histogram";
export { map } from "./map";
export { reduce } from "./reduce";
export { scan } from "./scan";
export { count, mean, sum } from "./sum";
export { argmax, argmin, max, min, minmax } from "./extremes";
export { type Order, argsort, sort } from "./sort";
