export { CacheModifiedIterator, type CacheModifier, cacheModified } from "./cache-modified";
export { ConstantIterator, constant } from "./constant";
export { CountingIterator, counting } from "./counting";
export { type IntegerName, PermutedIterator, permuted } from "./permuted";
export { ReversedIterator, reversed } from "./reversed";
export { StridedIterator, strided } from "./strided";
export { TransformedIterator, TransformedOutputIterator, transformed, transformedOutput } from "./transformed";
export { ZippedIterator, zipped } from "./zipped";
export type { Direction, Input, InputIterator, Output, OutputIterator } from "./types";
