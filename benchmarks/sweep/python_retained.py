"""Device memory that Python's cuda.compute holds after its arrays were dropped: the sweep's unique_by_key there.

Needs a GPU, the driver, numpy and cuda-cccl. Arrays are plain allocations of the driver that this program counts, so
what is held is exact, and a limit makes any device behave as a smaller one.

    python benchmarks/sweep/python_retained.py [--limit 48e9] [--max-elements 268435456] [--clear] > python.jsonl

One line of JSON for each state: its axes, the bytes held before it, and those held when everything it made was dropped
and a full collection has run; the failure where it had one. The last line sums up.
"""

import argparse
import ctypes
import gc
import itertools
import json

import numpy as np

import cuda.compute as compute

KEYS = ["int8", "int16", "int32", "int64"]
VALUES = [*KEYS, "float32", "float64", "complex64"]
ELEMENTS = [2**16, 2**20, 2**24, 2**28]
MAX_RUNS = [2, 2**4, 2**8]


class Device:
    """The first device, by the driver's own functions."""

    def __init__(self, limit):
        self.limit = limit
        self.live_bytes = 0
        self._driver = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", ctypes.c_uint(0))
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(0))
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        result = getattr(self._driver, name)(*arguments)
        if result != 0:
            raise RuntimeError(f"{name} returned {result}")

    def allocate(self, byte_length):
        if self.live_bytes + byte_length > self.limit:
            raise MemoryError(f"{byte_length} bytes were asked for while {self.live_bytes} are held")
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(byte_length))
        self.live_bytes += byte_length
        return address.value

    def release(self, address, byte_length):
        self.call("cuMemFree_v2", ctypes.c_uint64(address))
        self.live_bytes -= byte_length

    def clear(self, address, byte_length):
        self.call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(byte_length))

    def upload(self, address, values):
        source = values.ctypes.data_as(ctypes.c_void_p)
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), source, ctypes.c_size_t(values.nbytes))

    def synchronize(self):
        self.call("cuCtxSynchronize")


class DeviceArray:
    """A one-dimensional array, zeros at first, freed when nothing refers to it any more."""

    def __init__(self, device, length, dtype):
        self.dtype = np.dtype(dtype)
        self.shape = (length,)
        self.nbytes = length * self.dtype.itemsize
        self._device = device
        self._address = None
        self._address = device.allocate(self.nbytes)
        device.clear(self._address, self.nbytes)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._address, False),
            "strides": None,
            "version": 3,
        }

    def __del__(self):
        if self._address is not None:
            self._device.release(self._address, self.nbytes)


def keys_in_runs(dtype, length, max_run):
    """Keys that are equal in runs of 1 to max_run items; they wrap where the type has no more."""
    lengths = np.random.default_rng(1).integers(1, max_run, size=length, endpoint=True)
    runs = int(np.searchsorted(np.cumsum(lengths), length)) + 1
    return np.repeat(np.arange(runs), lengths[:runs])[:length].astype(dtype)


def run_state(device, keys, values, elements, max_run):
    """Makes, uses and drops the arrays: when this returns none of ours refers to them."""
    # A block, repeated: the memory is what counts, and keys of the host would take minutes.
    block = keys_in_runs(keys, min(elements, 2**20), max_run)
    in_keys = DeviceArray(device, elements, keys)
    for start in range(0, elements, len(block)):
        device.upload(in_keys._address + start * block.itemsize, block)
    in_values = DeviceArray(device, elements, values)
    out_keys = DeviceArray(device, elements, keys)
    out_values = DeviceArray(device, elements, values)
    count = DeviceArray(device, 1, "int32")
    for _ in range(2):
        compute.unique_by_key(
            d_in_keys=in_keys,
            d_in_items=in_values,
            d_out_keys=out_keys,
            d_out_items=out_values,
            d_out_num_selected=count,
            op=compute.OpKind.EQUAL_TO,
            num_items=elements,
        )
        device.synchronize()


def failure_of(device, state):
    """The failure of a state as text, so that no traceback keeps its arrays."""
    try:
        run_state(device, **state)
    except (MemoryError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=48e9, help="bytes that arrays may hold")
    parser.add_argument("--max-elements", type=int, default=max(ELEMENTS))
    parser.add_argument("--clear", action="store_true", help="clear_all_caches() after each state")
    options = parser.parse_args()

    device = Device(options.limit)
    names = ["keys", "values", "elements", "max_run"]
    points = itertools.product(KEYS, VALUES, [n for n in ELEMENTS if n <= options.max_elements], MAX_RUNS)
    failed = states = most = 0
    for point in points:
        state = dict(zip(names, point))
        before = device.live_bytes
        failure = failure_of(device, state)
        if options.clear:
            compute.clear_all_caches()
        gc.collect()
        states += 1
        failed += failure is not None
        most = max(most, device.live_bytes)
        line = {"benchmark": "select/unique_by_key", "axes": state, "before": before, "after": device.live_bytes}
        print(json.dumps(line if failure is None else {**line, "failure": failure}), flush=True)
    print(json.dumps({"states": states, "failed": failed, "limit": options.limit, "most_held": most}), flush=True)


if __name__ == "__main__":
    main()
