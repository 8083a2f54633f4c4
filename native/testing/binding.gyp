{
  # The simulated device. scripts/build-simulated-device.mjs builds it and copies the three files to build/simulated.
  "target_defaults": {
    "include_dirs": ["../.."],
    "cflags_cc!": ["-std=gnu++17", "-std=gnu++20", "-fno-exceptions", "-fno-rtti"],
    "cflags_cc": [
      "-std=c++20", "-fexceptions", "-frtti", "-fvisibility=hidden",
      "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror",
    ],
  },
  "targets": [
    {
      "target_name": "simulated_cuda",
      "type": "shared_library",
      "product_prefix": "lib",
      "product_name": "cuda",
      "product_extension": "so.1",
      "sources": ["simulated_cuda.cc"],
      "libraries": ["-lpthread"],
    },
    {
      "target_name": "simulated_cccl",
      "type": "shared_library",
      "product_prefix": "lib",
      "product_name": "cccl.c.parallel",
      "product_extension": "so",
      "sources": ["simulated_cccl.cc"],
      "dependencies": ["simulated_cuda"],
      "libraries": ["-ldl"],
    },
    {
      "target_name": "simulated_nvrtc",
      "type": "shared_library",
      "product_prefix": "lib",
      "product_name": "nvrtc",
      "product_extension": "so.13",
      "sources": ["simulated_nvrtc.cc"],
      "dependencies": ["simulated_cuda"],
      # As NVIDIA's: the C library asks for symbols of the version that is the library's name.
      "ldflags": ["-Wl,--default-symver"],
      "libraries": ["-ldl"],
    },
    {
      "target_name": "simulated_nvjitlink",
      "type": "shared_library",
      "product_prefix": "lib",
      "product_name": "nvJitLink",
      "product_extension": "so.13",
      "sources": ["simulated_nvjitlink.cc"],
      "dependencies": ["simulated_cuda"],
      "ldflags": ["-Wl,--default-symver"],
      "libraries": ["-ldl"],
    },
    {
      "target_name": "simulated_control",
      "type": "loadable_module",
      "product_prefix": "",
      "product_extension": "node",
      "sources": ["simulated_control.cc"],
      "defines": ["NAPI_VERSION=9"],
      "libraries": ["-ldl"],
    },
  ],
}
