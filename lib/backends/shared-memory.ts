/** Handing memory from one thread to another. */
import { ArgumentTypeError } from "../errors";

/** The argument that users give what they received as. */
export const sharedArgument = "DeviceArray.fromShared.shared";

/** For what no handle is, or one that was changed. */
export function notAHandle(value: unknown): ArgumentTypeError {
  return new ArgumentTypeError(sharedArgument, "what DeviceArray.share() gave, or its clone", value);
}

/** For a handle that there is nothing behind any more. */
export function sharedIsGone(): ArgumentTypeError {
  const received = "one that was received or released, or whose thread ended";
  return new ArgumentTypeError(sharedArgument, "a handle that was not received yet", received, "ERR_SHARED_GONE");
}
