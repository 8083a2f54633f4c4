{
  "targets": [
    {
      "target_name": "cuda_compute",
      "sources": ["<!@(cat native/sources.txt native/addon_sources.txt)"],
      "include_dirs": ["."],
      "defines": ["NAPI_EXPERIMENTAL", "NODE_API_EXPERIMENTAL_NO_WARNING", "NODE_ADDON_API_CPP_EXCEPTIONS"],
      "cflags_cc!": ["-fno-exceptions", "-std=gnu++17", "-std=gnu++20", "-fno-rtti"],
      "cflags_cc": [
        # As system headers: our warnings are for our code.
        "-isystem",
        "<!(node -p \"require('path').dirname(require.resolve('node-addon-api'))\")",
        "-std=c++20",
        "-fexceptions",
        "-fvisibility=hidden",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Wshadow",
        "-Wconversion",
        "-Werror"
      ],
      "libraries": ["-ldl"],
      # Node unloads an addon when the last thread that uses it ends. What belongs to the process (compiled kernels, the
      # device's context, locked memory, arrays on their way to another thread) stays for the next one.
      "ldflags": ["-Wl,-z,nodelete"]
    }
  ]
}
