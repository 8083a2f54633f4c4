export { ConstantIterator, constant } from "./constant";
export { CountingIterator, counting } from "./counting";
export { TransformedIterator, TransformedOutputIterator, transformed, transformedOutput } from "./transformed";
export type { Input, Output } from "./types";
