/**
 * The device code of one build: the operators and the iterators' functions, under the fixed symbols that kernels call.
 * A kernel depends on types and on these symbols alone, so one kernel serves every operator.
 */
import { cudaPrelude } from "../operators";
import { cudaConvert } from "../types/convert";
import type { ElementType } from "../types/element";
import { cudaDefinitions } from "../types/struct";
import type { AnyOperator, BuildRequest, SlotRequest } from "./build";

/** Symbols of the slot at an index. */
export function slotSymbols(index: number): { advance: string; dereference: string } {
  const slot = `cuda_compute_slot${String(index)}`;
  return { advance: `${slot}_advance`, dereference: `${slot}_dereference` };
}

/** Symbol of the operator at an index. */
export function operatorSymbol(index: number): string {
  return `cuda_compute_operator${String(index)}`;
}

/** True when the C library takes the slot's address as it is. */
export function isPointerSlot(slot: SlotRequest): boolean {
  return slot.shape.isPointer && slot.shape.elementType === slot.as;
}

function slotFunctions(slot: SlotRequest, index: number): string {
  const prefix = `slot${String(index)}`;
  const { advance, dereference } = slotSymbols(index);
  const { elementType } = slot.shape;
  const stored = elementType.cudaStorage;
  const seen = slot.as.cudaStorage;
  const text = slot.direction === "input" ? slot.shape.cudaInput : slot.shape.cudaOutput;
  if (text === undefined) throw new Error(`slot ${String(index)} cannot serve as ${slot.direction}`);
  const step =
    `extern "C" __device__ void ${advance}(void* state, const void* count) {\n` +
    `  ${prefix}_advance(state, *static_cast<const unsigned long long*>(count));\n}\n`;
  const access =
    slot.direction === "input"
      ? `extern "C" __device__ void ${dereference}(const void* state, void* element) {\n` +
        `  ${stored} value;\n  ${prefix}_load(state, &value);\n` +
        `  *static_cast<${seen}*>(element) = ${cudaConvert(elementType, slot.as, "value")};\n}\n`
      : `extern "C" __device__ void ${dereference}(void* state, const void* element) {\n` +
        `  const ${seen} value = *static_cast<const ${seen}*>(element);\n` +
        `  const ${stored} converted = ${cudaConvert(slot.as, elementType, "value")};\n` +
        `  ${prefix}_store(state, &converted);\n}\n`;
  return text(prefix) + step + access;
}

/** `hasResult` is whether the kernel passes a place for the result. */
function operatorFunction(operator: AnyOperator, index: number, hasResult: boolean): string {
  const name = `operator${String(index)}`;
  const operands = operator.parameters.map((_, position) => `operand${String(position)}`);
  const declared = [...operands.map((operand) => `const void* ${operand}`), ...(hasResult ? ["void* result"] : [])];
  const passed = operator.resultType === undefined ? operands : [...operands, "result"];
  const stateful = operator.stateSize > 0;
  const parameters = (stateful ? ["void* state", ...declared] : declared).join(", ");
  const state = stateful ? "state" : "nullptr";
  return (
    operator.cuda(name) +
    `extern "C" __device__ void ${operatorSymbol(index)}(${parameters}) {\n` +
    `  ${[state, ...passed].join(", ").replace(/^/, `${name}(`)});\n}\n`
  );
}

/** The types that the slots' functions take from the kernel or give to it; operators define their own. */
function typesOf({ slots }: BuildRequest): ElementType[] {
  return slots.flatMap((slot) => [slot.as, slot.shape.elementType]);
}

/** CUDA C++ of a request's iterators, and of those operators that the library does not have itself. */
export function translationUnit(request: BuildRequest, needsCode: (operator: AnyOperator) => boolean): string {
  const slots = request.slots.map((slot, index) => (isPointerSlot(slot) ? "" : slotFunctions(slot, index)));
  // An algorithm without outputs has no use for what its operators answer.
  const hasResults = request.slots.some(({ direction }) => direction !== "input");
  const operators = request.operators.map((operator, index) =>
    needsCode(operator) ? operatorFunction(operator, index, hasResults) : "",
  );
  const functions = [...slots, ...operators].filter((text) => text !== "");
  if (functions.length === 0) return "";
  return cudaPrelude + cudaDefinitions(typesOf(request)) + functions.join("\n");
}
