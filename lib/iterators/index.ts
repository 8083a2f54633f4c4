export { ConstantIterator, constant } from "./constant";
export { CountingIterator, counting } from "./counting";
export { TransformedIterator, TransformedOutputIterator, transformed, transformedOutput } from "./transformed";
export type { Direction, Input, InputIterator, Output, OutputIterator } from "./types";
