/**
 * `shuffled(n, seed)` is every index below n once, in an order that depends on n and the seed alone: a random sample
 * without repeats.
 *
 *   npm run build && node dist/examples/shuffled.js
 */
import { DeviceArray, permuted, shuffled, unaryTransform } from "../lib";

const cards = DeviceArray.from(Int32Array.from({ length: 52 }, (_, index) => index + 1));
const hand = DeviceArray.empty(5, "int32");

// The order is computed, not stored, so five cards cost no more than five reads.
unaryTransform({ input: permuted(cards, shuffled(52, 7)), output: hand, op: (card) => card, numItems: 5 });
console.log("five different cards of 52:", hand.toArray().join(" "));

/* prints:
five different cards of 52: 8 41 32 42 24
*/
