#pragma once

/// Our own declaration of the C ABI of `libcccl.c.parallel.so` as cuda-cccl 1.2.1 ships it (x86-64 Linux).
///
/// That library comes without headers and its ABI is not stable: build results are passed by value, so every size and
/// offset below is asserted. The functions are declared for their types alone (`decltype`); they are looked up at run
/// time and never linked.

#include <cstddef>
#include <cstdint>

#include "native/driver/cuda_types.h"

extern "C" {

enum cccl_type_enum : std::int32_t {
  CCCL_INT8 = 0,
  CCCL_INT16 = 1,
  CCCL_INT32 = 2,
  CCCL_INT64 = 3,
  CCCL_UINT8 = 4,
  CCCL_UINT16 = 5,
  CCCL_UINT32 = 6,
  CCCL_UINT64 = 7,
  CCCL_FLOAT16 = 8,
  CCCL_FLOAT32 = 9,
  CCCL_FLOAT64 = 10,
  CCCL_STORAGE = 11,
  CCCL_BOOLEAN = 12,
  CCCL_BFLOAT16 = 13,
};

enum cccl_op_kind_t : std::int32_t {
  CCCL_STATELESS = 0,
  CCCL_STATEFUL = 1,
  CCCL_PLUS = 2,
  CCCL_MINUS = 3,
  CCCL_MULTIPLIES = 4,
  CCCL_DIVIDES = 5,
  CCCL_MODULUS = 6,
  CCCL_EQUAL_TO = 7,
  CCCL_NOT_EQUAL_TO = 8,
  CCCL_GREATER = 9,
  CCCL_LESS = 10,
  CCCL_GREATER_EQUAL = 11,
  CCCL_LESS_EQUAL = 12,
  CCCL_LOGICAL_AND = 13,
  CCCL_LOGICAL_OR = 14,
  CCCL_LOGICAL_NOT = 15,
  CCCL_BIT_AND = 16,
  CCCL_BIT_OR = 17,
  CCCL_BIT_XOR = 18,
  CCCL_BIT_NOT = 19,
  CCCL_IDENTITY = 20,
  CCCL_NEGATE = 21,
  CCCL_MINIMUM = 22,
  CCCL_MAXIMUM = 23,
};

enum cccl_op_code_type : std::int32_t { CCCL_OP_LTOIR = 0, CCCL_OP_CPP_SOURCE = 1 };
enum cccl_iterator_kind_t : std::int32_t { CCCL_POINTER = 0, CCCL_ITERATOR = 1 };
enum cccl_sort_order_t : std::int32_t { CCCL_ASCENDING = 0, CCCL_DESCENDING = 1 };
enum cccl_init_kind_t : std::int32_t { CCCL_VALUE_INIT = 0, CCCL_FUTURE_VALUE_INIT = 1, CCCL_NO_INIT = 2 };
enum cccl_determinism_t : std::int32_t { CCCL_NOT_GUARANTEED = 0, CCCL_RUN_TO_RUN = 1, CCCL_GPU_TO_GPU = 2 };
enum cccl_binary_search_mode_t : std::int32_t {
  CCCL_BINARY_SEARCH_LOWER_BOUND = 0,
  CCCL_BINARY_SEARCH_UPPER_BOUND = 1
};
enum cccl_payload_kind_t : std::int32_t { CCCL_PAYLOAD_LTOIR = 0, CCCL_PAYLOAD_CUBIN = 1 };

struct cccl_type_info {
  std::size_t size;
  std::size_t alignment;
  cccl_type_enum type;
};

struct cccl_op_t {
  cccl_op_kind_t type;
  const char* name;
  const char* code;
  std::size_t code_size;
  cccl_op_code_type code_type;
  std::size_t size;
  std::size_t alignment;
  void* state;
  const char** extra_ltoirs;
  std::size_t* extra_ltoir_sizes;
  std::size_t num_extra_ltoirs;
  cccl_op_code_type* extra_code_types;
};

struct cccl_value_t {
  cccl_type_info type;
  void* state;
};

union cccl_increment_t {
  std::int64_t signed_offset;
  std::uint64_t unsigned_offset;
};

using cccl_host_op_fn_ptr_t = void (*)(void* state, cccl_increment_t offset);

struct cccl_iterator_t {
  std::size_t size;
  std::size_t alignment;
  cccl_iterator_kind_t type;
  cccl_op_t advance;
  cccl_op_t dereference;
  cccl_type_info value_type;
  void* state;
  cccl_host_op_fn_ptr_t host_advance;
};

struct cccl_build_config {
  const char** extra_compile_flags;
  std::size_t num_extra_compile_flags;
  const char** extra_include_dirs;
  std::size_t num_extra_include_dirs;
};

struct cccl_device_reduce_build_result_t {
  int cc;
  void* payload;
  std::size_t payload_size;
  cccl_payload_kind_t payload_kind;
  CUlibrary library;
  std::uint64_t accumulator_size;
  CUkernel single_tile_kernel;
  CUkernel single_tile_second_kernel;
  CUkernel reduction_kernel;
  cccl_determinism_t determinism;
  cccl_init_kind_t init_kind;
  void* runtime_policy;
  std::size_t runtime_policy_size;
  char* single_tile_kernel_lowered_name;
  char* single_tile_second_kernel_lowered_name;
  char* reduction_kernel_lowered_name;
};

struct cccl_device_scan_build_result_t {
  int cc;
  void* payload;
  std::size_t payload_size;
  cccl_payload_kind_t payload_kind;
  CUlibrary library;
  cccl_type_info input_type;
  cccl_type_info output_type;
  cccl_type_info accumulator_type;
  CUkernel init_kernel;
  CUkernel scan_kernel;
  bool force_inclusive;
  cccl_init_kind_t init_kind;
  std::size_t description_bytes_per_tile;
  std::size_t payload_bytes_per_tile;
  void* runtime_policy;
  std::size_t runtime_policy_size;
  char* init_kernel_lowered_name;
  char* scan_kernel_lowered_name;
};

struct cccl_device_segmented_reduce_build_result_t {
  int cc;
  void* payload;
  std::size_t payload_size;
  cccl_payload_kind_t payload_kind;
  CUlibrary library;
  std::uint64_t accumulator_size;
  CUkernel segmented_reduce_kernel;
  void* runtime_policy;
  std::size_t runtime_policy_size;
  char* segmented_reduce_kernel_lowered_name;
};

struct cccl_device_transform_build_result_t {
  int cc;
  void* payload;
  std::size_t payload_size;
  cccl_payload_kind_t payload_kind;
  CUlibrary library;
  CUkernel transform_kernel;
  int loaded_bytes_per_iteration;
  void* runtime_policy;
  std::size_t runtime_policy_size;
  void* cache;
  char* transform_kernel_lowered_name;
};

struct cccl_device_binary_search_build_result_t {
  cccl_device_transform_build_result_t transform;
  std::size_t op_state_size;
  std::size_t op_state_alignment;
};

struct cccl_device_merge_sort_build_result_t {
  int cc;
  void* payload;
  std::size_t payload_size;
  cccl_payload_kind_t payload_kind;
  CUlibrary library;
  cccl_type_info key_type;
  cccl_type_info item_type;
  CUkernel block_sort_kernel;
  CUkernel partition_kernel;
  CUkernel merge_kernel;
  void* runtime_policy;
  std::size_t runtime_policy_size;
  char* block_sort_kernel_lowered_name;
  char* partition_kernel_lowered_name;
  char* merge_kernel_lowered_name;
};

struct cccl_device_radix_sort_build_result_t {
  int cc;
  void* payload;
  std::size_t payload_size;
  cccl_payload_kind_t payload_kind;
  CUlibrary library;
  cccl_type_info key_type;
  cccl_type_info value_type;
  CUkernel single_tile_kernel;
  CUkernel upsweep_kernel;
  CUkernel alt_upsweep_kernel;
  CUkernel scan_bins_kernel;
  CUkernel downsweep_kernel;
  CUkernel alt_downsweep_kernel;
  CUkernel histogram_kernel;
  CUkernel exclusive_sum_kernel;
  CUkernel init_bins_and_counters_kernel;
  CUkernel init_lookback_kernel;
  CUkernel onesweep_kernel;
  cccl_sort_order_t order;
  void* runtime_policy;
  std::size_t runtime_policy_size;
  char* kernel_lowered_names[11];
};

struct cccl_device_segmented_sort_build_result_t {
  int cc;
  void* payload;
  std::size_t payload_size;
  cccl_payload_kind_t payload_kind;
  CUlibrary library;
  cccl_type_info key_type;
  cccl_type_info offset_type;
  cccl_op_t large_segments_selector_op;
  cccl_op_t small_segments_selector_op;
  CUkernel fallback_kernel;
  CUkernel small_kernel;
  CUkernel large_kernel;
  CUkernel partition_init_kernel;
  CUkernel partition_kernel;
  void* runtime_policy;
  std::size_t runtime_policy_size;
  void* partition_runtime_policy;
  std::size_t partition_runtime_policy_size;
  cccl_sort_order_t order;
  char* kernel_lowered_names[5];
};

struct cccl_device_unique_by_key_build_result_t {
  int cc;
  void* payload;
  std::size_t payload_size;
  cccl_payload_kind_t payload_kind;
  CUlibrary library;
  CUkernel compact_init_kernel;
  CUkernel sweep_kernel;
  std::size_t description_bytes_per_tile;
  std::size_t payload_bytes_per_tile;
  void* runtime_policy;
  std::size_t runtime_policy_size;
  char* compact_init_kernel_lowered_name;
  char* sweep_kernel_lowered_name;
};

struct cccl_device_histogram_build_result_t {
  int cc;
  void* payload;
  std::size_t payload_size;
  cccl_payload_kind_t payload_kind;
  CUlibrary library;
  cccl_type_info counter_type;
  cccl_type_info level_type;
  cccl_type_info sample_type;
  int num_active_channels;
  bool may_overflow;
  CUkernel init_kernel;
  CUkernel sweep_kernel;
  void* runtime_policy;
  std::size_t runtime_policy_size;
  char* init_kernel_lowered_name;
  char* sweep_kernel_lowered_name;
};

struct cccl_device_three_way_partition_build_result_t {
  int cc;
  void* payload;
  std::size_t payload_size;
  cccl_payload_kind_t payload_kind;
  CUlibrary library;
  CUkernel init_kernel;
  CUkernel partition_kernel;
  void* runtime_policy;
  std::size_t runtime_policy_size;
  char* init_kernel_lowered_name;
  char* partition_kernel_lowered_name;
};

struct cccl_device_for_build_result_t {
  int cc;
  void* payload;
  std::size_t payload_size;
  cccl_payload_kind_t payload_kind;
  CUlibrary library;
  CUkernel static_kernel;
  char* static_kernel_lowered_name;
};

// The compile functions take include paths as whole compiler options ("-I/path"); a null config is the empty one.

CUresult cccl_device_reduce_compile(cccl_device_reduce_build_result_t* build, cccl_iterator_t in, cccl_iterator_t out,
                                    cccl_op_t op, cccl_type_info init_type, cccl_init_kind_t init_kind,
                                    cccl_determinism_t determinism, int cc_major, int cc_minor, const char* cub,
                                    const char* thrust, const char* libcudacxx, const char* ctk,
                                    cccl_build_config* config);
CUresult cccl_device_reduce_load(cccl_device_reduce_build_result_t* build);
CUresult cccl_device_reduce_link_ltoir(cccl_device_reduce_build_result_t* build, const void** blobs,
                                       const std::size_t* sizes, std::size_t count);
CUresult cccl_device_reduce_serialize(const cccl_device_reduce_build_result_t* build, void** buffer, std::size_t* size);
CUresult cccl_device_reduce_deserialize(cccl_device_reduce_build_result_t* build, const void* buffer, std::size_t size);
CUresult cccl_device_reduce_cleanup(cccl_device_reduce_build_result_t* build);
CUresult cccl_device_reduce(cccl_device_reduce_build_result_t build, void* temporary, std::size_t* temporary_bytes,
                            cccl_iterator_t in, cccl_iterator_t out, std::uint64_t num_items, cccl_op_t op,
                            cccl_value_t init, CUstream stream);
CUresult cccl_device_reduce_nondeterministic(cccl_device_reduce_build_result_t build, void* temporary,
                                             std::size_t* temporary_bytes, cccl_iterator_t in, cccl_iterator_t out,
                                             std::uint64_t num_items, cccl_op_t op, cccl_value_t init, CUstream stream);

CUresult cccl_device_scan_compile(cccl_device_scan_build_result_t* build, cccl_iterator_t in, cccl_iterator_t out,
                                  cccl_op_t op, cccl_type_info init_type, bool force_inclusive,
                                  cccl_init_kind_t init_kind, int cc_major, int cc_minor, const char* cub,
                                  const char* thrust, const char* libcudacxx, const char* ctk,
                                  cccl_build_config* config);
CUresult cccl_device_scan_load(cccl_device_scan_build_result_t* build);
CUresult cccl_device_scan_link_ltoir(cccl_device_scan_build_result_t* build, const void** blobs,
                                     const std::size_t* sizes, std::size_t count);
CUresult cccl_device_scan_serialize(const cccl_device_scan_build_result_t* build, void** buffer, std::size_t* size);
CUresult cccl_device_scan_deserialize(cccl_device_scan_build_result_t* build, const void* buffer, std::size_t size);
CUresult cccl_device_scan_cleanup(cccl_device_scan_build_result_t* build);
CUresult cccl_device_exclusive_scan(cccl_device_scan_build_result_t build, void* temporary,
                                    std::size_t* temporary_bytes, cccl_iterator_t in, cccl_iterator_t out,
                                    std::uint64_t num_items, cccl_op_t op, cccl_value_t init, CUstream stream);
CUresult cccl_device_inclusive_scan(cccl_device_scan_build_result_t build, void* temporary,
                                    std::size_t* temporary_bytes, cccl_iterator_t in, cccl_iterator_t out,
                                    std::uint64_t num_items, cccl_op_t op, cccl_value_t init, CUstream stream);
CUresult cccl_device_exclusive_scan_future_value(cccl_device_scan_build_result_t build, void* temporary,
                                                 std::size_t* temporary_bytes, cccl_iterator_t in, cccl_iterator_t out,
                                                 std::uint64_t num_items, cccl_op_t op, cccl_iterator_t init,
                                                 CUstream stream);
CUresult cccl_device_inclusive_scan_future_value(cccl_device_scan_build_result_t build, void* temporary,
                                                 std::size_t* temporary_bytes, cccl_iterator_t in, cccl_iterator_t out,
                                                 std::uint64_t num_items, cccl_op_t op, cccl_iterator_t init,
                                                 CUstream stream);
CUresult cccl_device_inclusive_scan_no_init(cccl_device_scan_build_result_t build, void* temporary,
                                            std::size_t* temporary_bytes, cccl_iterator_t in, cccl_iterator_t out,
                                            std::uint64_t num_items, cccl_op_t op, CUstream stream);

CUresult cccl_device_unary_transform_compile(cccl_device_transform_build_result_t* build, cccl_iterator_t in,
                                             cccl_iterator_t out, cccl_op_t op, int cc_major, int cc_minor,
                                             const char* cub, const char* thrust, const char* libcudacxx,
                                             const char* ctk, cccl_build_config* config);
CUresult cccl_device_binary_transform_compile(cccl_device_transform_build_result_t* build, cccl_iterator_t in1,
                                              cccl_iterator_t in2, cccl_iterator_t out, cccl_op_t op, int cc_major,
                                              int cc_minor, const char* cub, const char* thrust, const char* libcudacxx,
                                              const char* ctk, cccl_build_config* config);
CUresult cccl_device_transform_load(cccl_device_transform_build_result_t* build);
CUresult cccl_device_transform_link_ltoir(cccl_device_transform_build_result_t* build, const void** blobs,
                                          const std::size_t* sizes, std::size_t count);
CUresult cccl_device_transform_serialize(const cccl_device_transform_build_result_t* build, void** buffer,
                                         std::size_t* size);
CUresult cccl_device_transform_deserialize(cccl_device_transform_build_result_t* build, const void* buffer,
                                           std::size_t size);
CUresult cccl_device_transform_cleanup(cccl_device_transform_build_result_t* build);
CUresult cccl_device_unary_transform(cccl_device_transform_build_result_t build, cccl_iterator_t in,
                                     cccl_iterator_t out, std::uint64_t num_items, cccl_op_t op, CUstream stream);
CUresult cccl_device_binary_transform(cccl_device_transform_build_result_t build, cccl_iterator_t in1,
                                      cccl_iterator_t in2, cccl_iterator_t out, std::uint64_t num_items, cccl_op_t op,
                                      CUstream stream);

CUresult cccl_device_segmented_reduce_compile(cccl_device_segmented_reduce_build_result_t* build, cccl_iterator_t in,
                                              cccl_iterator_t out, cccl_iterator_t begin_offset,
                                              cccl_iterator_t end_offset, cccl_op_t op, cccl_value_t init, int cc_major,
                                              int cc_minor, const char* cub, const char* thrust, const char* libcudacxx,
                                              const char* ctk, cccl_build_config* config);
CUresult cccl_device_segmented_reduce_load(cccl_device_segmented_reduce_build_result_t* build);
CUresult cccl_device_segmented_reduce_link_ltoir(cccl_device_segmented_reduce_build_result_t* build, const void** blobs,
                                                 const std::size_t* sizes, std::size_t count);
CUresult cccl_device_segmented_reduce_serialize(const cccl_device_segmented_reduce_build_result_t* build, void** buffer,
                                                std::size_t* size);
CUresult cccl_device_segmented_reduce_deserialize(cccl_device_segmented_reduce_build_result_t* build,
                                                  const void* buffer, std::size_t size);
CUresult cccl_device_segmented_reduce_cleanup(cccl_device_segmented_reduce_build_result_t* build);
CUresult cccl_device_segmented_reduce(cccl_device_segmented_reduce_build_result_t build, void* temporary,
                                      std::size_t* temporary_bytes, cccl_iterator_t in, cccl_iterator_t out,
                                      std::uint64_t num_segments, cccl_iterator_t begin_offset,
                                      cccl_iterator_t end_offset, cccl_op_t op, cccl_value_t init,
                                      std::uint64_t max_segment_size, CUstream stream);

CUresult cccl_device_merge_sort_compile(cccl_device_merge_sort_build_result_t* build, cccl_iterator_t in_keys,
                                        cccl_iterator_t in_items, cccl_iterator_t out_keys, cccl_iterator_t out_items,
                                        cccl_op_t op, int cc_major, int cc_minor, const char* cub, const char* thrust,
                                        const char* libcudacxx, const char* ctk, cccl_build_config* config);
CUresult cccl_device_merge_sort_load(cccl_device_merge_sort_build_result_t* build);
CUresult cccl_device_merge_sort_link_ltoir(cccl_device_merge_sort_build_result_t* build, const void** blobs,
                                           const std::size_t* sizes, std::size_t count);
CUresult cccl_device_merge_sort_serialize(const cccl_device_merge_sort_build_result_t* build, void** buffer,
                                          std::size_t* size);
CUresult cccl_device_merge_sort_deserialize(cccl_device_merge_sort_build_result_t* build, const void* buffer,
                                            std::size_t size);
CUresult cccl_device_merge_sort_cleanup(cccl_device_merge_sort_build_result_t* build);
CUresult cccl_device_merge_sort(cccl_device_merge_sort_build_result_t build, void* temporary,
                                std::size_t* temporary_bytes, cccl_iterator_t in_keys, cccl_iterator_t in_items,
                                cccl_iterator_t out_keys, cccl_iterator_t out_items, std::uint64_t num_items,
                                cccl_op_t op, CUstream stream);

/// An absent decomposer is an operator of zeros and an empty type name: keys are sorted by their own bits.
CUresult cccl_device_radix_sort_compile(cccl_device_radix_sort_build_result_t* build, cccl_sort_order_t order,
                                        cccl_iterator_t keys_in, cccl_iterator_t values_in, cccl_op_t decomposer,
                                        const char* decomposer_return_type, int cc_major, int cc_minor, const char* cub,
                                        const char* thrust, const char* libcudacxx, const char* ctk,
                                        cccl_build_config* config);
CUresult cccl_device_radix_sort_load(cccl_device_radix_sort_build_result_t* build);
CUresult cccl_device_radix_sort_link_ltoir(cccl_device_radix_sort_build_result_t* build, const void** blobs,
                                           const std::size_t* sizes, std::size_t count);
CUresult cccl_device_radix_sort_serialize(const cccl_device_radix_sort_build_result_t* build, void** buffer,
                                          std::size_t* size);
CUresult cccl_device_radix_sort_deserialize(cccl_device_radix_sort_build_result_t* build, const void* buffer,
                                            std::size_t size);
CUresult cccl_device_radix_sort_cleanup(cccl_device_radix_sort_build_result_t* build);
CUresult cccl_device_radix_sort(cccl_device_radix_sort_build_result_t build, void* temporary,
                                std::size_t* temporary_bytes, cccl_iterator_t keys_in, cccl_iterator_t keys_out,
                                cccl_iterator_t values_in, cccl_iterator_t values_out, cccl_op_t decomposer,
                                std::uint64_t num_items, int begin_bit, int end_bit, bool is_overwrite_okay,
                                int* selector, CUstream stream);

CUresult cccl_device_segmented_sort_compile(cccl_device_segmented_sort_build_result_t* build, cccl_sort_order_t order,
                                            cccl_iterator_t keys_in, cccl_iterator_t values_in,
                                            cccl_iterator_t begin_offset, cccl_iterator_t end_offset, int cc_major,
                                            int cc_minor, const char* cub, const char* thrust, const char* libcudacxx,
                                            const char* ctk, cccl_build_config* config);
CUresult cccl_device_segmented_sort_load(cccl_device_segmented_sort_build_result_t* build);
CUresult cccl_device_segmented_sort_link_ltoir(cccl_device_segmented_sort_build_result_t* build, const void** blobs,
                                               const std::size_t* sizes, std::size_t count);
CUresult cccl_device_segmented_sort_serialize(const cccl_device_segmented_sort_build_result_t* build, void** buffer,
                                              std::size_t* size);
CUresult cccl_device_segmented_sort_deserialize(cccl_device_segmented_sort_build_result_t* build, const void* buffer,
                                                std::size_t size);
CUresult cccl_device_segmented_sort_cleanup(cccl_device_segmented_sort_build_result_t* build);
CUresult cccl_device_segmented_sort(cccl_device_segmented_sort_build_result_t build, void* temporary,
                                    std::size_t* temporary_bytes, cccl_iterator_t keys_in, cccl_iterator_t keys_out,
                                    cccl_iterator_t values_in, cccl_iterator_t values_out, std::uint64_t num_items,
                                    std::uint64_t num_segments, cccl_iterator_t begin_offset,
                                    cccl_iterator_t end_offset, bool is_overwrite_okay, int* selector, CUstream stream);

CUresult cccl_device_unique_by_key_compile(cccl_device_unique_by_key_build_result_t* build, cccl_iterator_t keys_in,
                                           cccl_iterator_t values_in, cccl_iterator_t keys_out,
                                           cccl_iterator_t values_out, cccl_iterator_t num_selected_out, cccl_op_t op,
                                           int cc_major, int cc_minor, const char* cub, const char* thrust,
                                           const char* libcudacxx, const char* ctk, cccl_build_config* config);
CUresult cccl_device_unique_by_key_load(cccl_device_unique_by_key_build_result_t* build);
CUresult cccl_device_unique_by_key_link_ltoir(cccl_device_unique_by_key_build_result_t* build, const void** blobs,
                                              const std::size_t* sizes, std::size_t count);
CUresult cccl_device_unique_by_key_serialize(const cccl_device_unique_by_key_build_result_t* build, void** buffer,
                                             std::size_t* size);
CUresult cccl_device_unique_by_key_deserialize(cccl_device_unique_by_key_build_result_t* build, const void* buffer,
                                               std::size_t size);
CUresult cccl_device_unique_by_key_cleanup(cccl_device_unique_by_key_build_result_t* build);
CUresult cccl_device_unique_by_key(cccl_device_unique_by_key_build_result_t build, void* temporary,
                                   std::size_t* temporary_bytes, cccl_iterator_t keys_in, cccl_iterator_t values_in,
                                   cccl_iterator_t keys_out, cccl_iterator_t values_out,
                                   cccl_iterator_t num_selected_out, cccl_op_t op, std::uint64_t num_items,
                                   CUstream stream);

CUresult cccl_device_histogram_compile(cccl_device_histogram_build_result_t* build, int num_channels,
                                       int num_active_channels, cccl_iterator_t samples, int num_output_levels,
                                       cccl_iterator_t histograms, cccl_type_info level_type, std::int64_t num_rows,
                                       std::int64_t row_stride_samples, bool is_evenly_segmented, int cc_major,
                                       int cc_minor, const char* cub, const char* thrust, const char* libcudacxx,
                                       const char* ctk, cccl_build_config* config);
CUresult cccl_device_histogram_load(cccl_device_histogram_build_result_t* build);
CUresult cccl_device_histogram_link_ltoir(cccl_device_histogram_build_result_t* build, const void** blobs,
                                          const std::size_t* sizes, std::size_t count);
CUresult cccl_device_histogram_serialize(const cccl_device_histogram_build_result_t* build, void** buffer,
                                         std::size_t* size);
CUresult cccl_device_histogram_deserialize(cccl_device_histogram_build_result_t* build, const void* buffer,
                                           std::size_t size);
CUresult cccl_device_histogram_cleanup(cccl_device_histogram_build_result_t* build);
CUresult cccl_device_histogram_even(cccl_device_histogram_build_result_t build, void* temporary,
                                    std::size_t* temporary_bytes, cccl_iterator_t samples, cccl_iterator_t histograms,
                                    cccl_value_t num_output_levels, cccl_value_t lower_level, cccl_value_t upper_level,
                                    std::int64_t num_row_pixels, std::int64_t num_rows, std::int64_t row_stride_samples,
                                    CUstream stream);

CUresult cccl_device_binary_search_compile(cccl_device_binary_search_build_result_t* build,
                                           cccl_binary_search_mode_t mode, cccl_iterator_t data, cccl_iterator_t values,
                                           cccl_iterator_t out, cccl_op_t op, int cc_major, int cc_minor,
                                           const char* cub, const char* thrust, const char* libcudacxx, const char* ctk,
                                           cccl_build_config* config);
CUresult cccl_device_binary_search_load(cccl_device_binary_search_build_result_t* build);
CUresult cccl_device_binary_search_link_ltoir(cccl_device_binary_search_build_result_t* build, const void** blobs,
                                              const std::size_t* sizes, std::size_t count,
                                              const char* kernel_lowered_name, std::uint64_t values_value_size,
                                              std::uint64_t output_value_size, std::uint64_t op_state_size,
                                              std::uint64_t op_state_alignment, int cc_major, int cc_minor);
CUresult cccl_device_binary_search_serialize(const cccl_device_binary_search_build_result_t* build, void** buffer,
                                             std::size_t* size);
CUresult cccl_device_binary_search_deserialize(cccl_device_binary_search_build_result_t* build, const void* buffer,
                                               std::size_t size);
CUresult cccl_device_binary_search_cleanup(cccl_device_binary_search_build_result_t* build);
CUresult cccl_device_binary_search(cccl_device_binary_search_build_result_t build, cccl_iterator_t data,
                                   std::uint64_t num_items, cccl_iterator_t values, std::uint64_t num_values,
                                   cccl_iterator_t out, cccl_op_t op, CUstream stream);

CUresult cccl_device_three_way_partition_compile(cccl_device_three_way_partition_build_result_t* build,
                                                 cccl_iterator_t in, cccl_iterator_t first_out,
                                                 cccl_iterator_t second_out, cccl_iterator_t unselected_out,
                                                 cccl_iterator_t num_selected_out, cccl_op_t first_op,
                                                 cccl_op_t second_op, int cc_major, int cc_minor, const char* cub,
                                                 const char* thrust, const char* libcudacxx, const char* ctk,
                                                 cccl_build_config* config);
CUresult cccl_device_three_way_partition_load(cccl_device_three_way_partition_build_result_t* build);
CUresult cccl_device_three_way_partition_link_ltoir(cccl_device_three_way_partition_build_result_t* build,
                                                    const void** blobs, const std::size_t* sizes, std::size_t count);
CUresult cccl_device_three_way_partition_serialize(const cccl_device_three_way_partition_build_result_t* build,
                                                   void** buffer, std::size_t* size);
CUresult cccl_device_three_way_partition_deserialize(cccl_device_three_way_partition_build_result_t* build,
                                                     const void* buffer, std::size_t size);
CUresult cccl_device_three_way_partition_cleanup(cccl_device_three_way_partition_build_result_t* build);
CUresult cccl_device_three_way_partition(cccl_device_three_way_partition_build_result_t build, void* temporary,
                                         std::size_t* temporary_bytes, cccl_iterator_t in, cccl_iterator_t first_out,
                                         cccl_iterator_t second_out, cccl_iterator_t unselected_out,
                                         cccl_iterator_t num_selected_out, cccl_op_t first_op, cccl_op_t second_op,
                                         std::uint64_t num_items, CUstream stream);

CUresult cccl_device_for_compile(cccl_device_for_build_result_t* build, cccl_iterator_t data, cccl_op_t op,
                                 int cc_major, int cc_minor, const char* cub, const char* thrust,
                                 const char* libcudacxx, const char* ctk, cccl_build_config* config);
CUresult cccl_device_for_load(cccl_device_for_build_result_t* build);
CUresult cccl_device_for_link_ltoir(cccl_device_for_build_result_t* build, const void** blobs, const std::size_t* sizes,
                                    std::size_t count);
CUresult cccl_device_for_serialize(const cccl_device_for_build_result_t* build, void** buffer, std::size_t* size);
CUresult cccl_device_for_deserialize(cccl_device_for_build_result_t* build, const void* buffer, std::size_t size);
CUresult cccl_device_for_cleanup(cccl_device_for_build_result_t* build);
CUresult cccl_device_for(cccl_device_for_build_result_t build, cccl_iterator_t data, std::uint64_t num_items,
                         cccl_op_t op, CUstream stream);

void cccl_serialization_buffer_free(void* buffer);
const char* cccl_serialization_last_error();
CUresult cccl_serialization_validate_blob(const void* buffer, std::size_t size);

}  // extern "C"

static_assert(sizeof(void*) == 8 && sizeof(std::size_t) == 8 && sizeof(bool) == 1);

static_assert(sizeof(cccl_type_info) == 24);
static_assert(offsetof(cccl_type_info, type) == 16);
static_assert(sizeof(cccl_op_t) == 96);
static_assert(offsetof(cccl_op_t, code_type) == 32);
static_assert(offsetof(cccl_op_t, size) == 40);
static_assert(offsetof(cccl_op_t, state) == 56);
static_assert(offsetof(cccl_op_t, extra_ltoirs) == 64);
static_assert(offsetof(cccl_op_t, extra_code_types) == 88);
static_assert(sizeof(cccl_value_t) == 32);
static_assert(offsetof(cccl_value_t, state) == 24);
static_assert(sizeof(cccl_increment_t) == 8);
static_assert(sizeof(cccl_iterator_t) == 256);
static_assert(offsetof(cccl_iterator_t, advance) == 24);
static_assert(offsetof(cccl_iterator_t, dereference) == 120);
static_assert(offsetof(cccl_iterator_t, value_type) == 216);
static_assert(offsetof(cccl_iterator_t, state) == 240);
static_assert(offsetof(cccl_iterator_t, host_advance) == 248);
static_assert(sizeof(cccl_build_config) == 32);

static_assert(sizeof(cccl_device_reduce_build_result_t) == 120);
static_assert(offsetof(cccl_device_reduce_build_result_t, payload) == 8);
static_assert(offsetof(cccl_device_reduce_build_result_t, payload_kind) == 24);
static_assert(offsetof(cccl_device_reduce_build_result_t, library) == 32);
static_assert(offsetof(cccl_device_reduce_build_result_t, accumulator_size) == 40);
static_assert(offsetof(cccl_device_reduce_build_result_t, determinism) == 72);
static_assert(offsetof(cccl_device_reduce_build_result_t, init_kind) == 76);
static_assert(offsetof(cccl_device_reduce_build_result_t, runtime_policy) == 80);
static_assert(offsetof(cccl_device_reduce_build_result_t, reduction_kernel_lowered_name) == 112);

static_assert(sizeof(cccl_device_scan_build_result_t) == 184);
static_assert(offsetof(cccl_device_scan_build_result_t, accumulator_type) == 88);
static_assert(offsetof(cccl_device_scan_build_result_t, init_kernel) == 112);
static_assert(offsetof(cccl_device_scan_build_result_t, force_inclusive) == 128);
static_assert(offsetof(cccl_device_scan_build_result_t, init_kind) == 132);
static_assert(offsetof(cccl_device_scan_build_result_t, description_bytes_per_tile) == 136);
static_assert(offsetof(cccl_device_scan_build_result_t, runtime_policy) == 152);
static_assert(offsetof(cccl_device_scan_build_result_t, scan_kernel_lowered_name) == 176);

static_assert(sizeof(cccl_device_segmented_reduce_build_result_t) == 80);
static_assert(offsetof(cccl_device_segmented_reduce_build_result_t, segmented_reduce_kernel_lowered_name) == 72);

static_assert(sizeof(cccl_device_transform_build_result_t) == 88);
static_assert(offsetof(cccl_device_transform_build_result_t, loaded_bytes_per_iteration) == 48);
static_assert(offsetof(cccl_device_transform_build_result_t, runtime_policy) == 56);
static_assert(offsetof(cccl_device_transform_build_result_t, cache) == 72);
static_assert(offsetof(cccl_device_transform_build_result_t, transform_kernel_lowered_name) == 80);

static_assert(sizeof(cccl_device_binary_search_build_result_t) == 104);
static_assert(offsetof(cccl_device_binary_search_build_result_t, op_state_size) == 88);

static_assert(sizeof(cccl_device_merge_sort_build_result_t) == 152);
static_assert(offsetof(cccl_device_merge_sort_build_result_t, block_sort_kernel) == 88);
static_assert(offsetof(cccl_device_merge_sort_build_result_t, runtime_policy) == 112);

static_assert(sizeof(cccl_device_radix_sort_build_result_t) == 288);
static_assert(offsetof(cccl_device_radix_sort_build_result_t, onesweep_kernel) == 168);
static_assert(offsetof(cccl_device_radix_sort_build_result_t, order) == 176);
static_assert(offsetof(cccl_device_radix_sort_build_result_t, kernel_lowered_names) == 200);

static_assert(sizeof(cccl_device_segmented_sort_build_result_t) == 400);
static_assert(offsetof(cccl_device_segmented_sort_build_result_t, large_segments_selector_op) == 88);
static_assert(offsetof(cccl_device_segmented_sort_build_result_t, fallback_kernel) == 280);
static_assert(offsetof(cccl_device_segmented_sort_build_result_t, order) == 352);
static_assert(offsetof(cccl_device_segmented_sort_build_result_t, kernel_lowered_names) == 360);

static_assert(sizeof(cccl_device_unique_by_key_build_result_t) == 104);
static_assert(offsetof(cccl_device_unique_by_key_build_result_t, description_bytes_per_tile) == 56);
static_assert(offsetof(cccl_device_unique_by_key_build_result_t, runtime_policy) == 72);

static_assert(sizeof(cccl_device_histogram_build_result_t) == 168);
static_assert(offsetof(cccl_device_histogram_build_result_t, num_active_channels) == 112);
static_assert(offsetof(cccl_device_histogram_build_result_t, may_overflow) == 116);
static_assert(offsetof(cccl_device_histogram_build_result_t, init_kernel) == 120);
static_assert(offsetof(cccl_device_histogram_build_result_t, runtime_policy) == 136);

static_assert(sizeof(cccl_device_three_way_partition_build_result_t) == 88);
static_assert(offsetof(cccl_device_three_way_partition_build_result_t, runtime_policy) == 56);

static_assert(sizeof(cccl_device_for_build_result_t) == 56);
static_assert(offsetof(cccl_device_for_build_result_t, static_kernel) == 40);
