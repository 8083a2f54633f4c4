#include "native/addon/build_spec_reader.h"

#include <string>

#include "native/addon/frame.h"
#include "native/addon/properties.h"

namespace cuda_compute {
namespace {

cccl_type_info read_type(const Properties& value) {
  cccl_type_info type{};
  type.size = static_cast<std::size_t>(value.number("size"));
  type.alignment = static_cast<std::size_t>(value.number("alignment"));
  type.type = static_cast<cccl_type_enum>(value.number("type"));
  return type;
}

/// A place of `size` bytes in the frame.
std::uint32_t read_position(const Properties& value, std::size_t size) {
  const std::uint32_t position = value.uint32("position");
  if (position < offsetof(CallFrame, state) || position + size > CallFrame::size) {
    wrong_property("position", "a place in the call frame");
  }
  return position;
}

SlotSpec read_slot(const Properties& value) {
  SlotSpec slot;
  slot.is_iterator = value.string("kind") == "iterator";
  slot.value = read_type(value.object("value"));
  slot.state_size = value.uint32("stateSize");
  slot.state_alignment = value.uint32("stateAlignment");
  slot.position = read_position(value, slot.state_size);
  slot.advance = value.string_or_empty("advance");
  slot.dereference = value.string_or_empty("dereference");
  return slot;
}

OperatorSpec read_operator(const Properties& value) {
  OperatorSpec spec;
  spec.kind = static_cast<cccl_op_kind_t>(value.number("kind"));
  spec.symbol = value.string("symbol");
  spec.state_size = value.uint32("stateSize");
  spec.state_alignment = value.uint32("stateAlignment");
  spec.position = read_position(value, spec.state_size);
  return spec;
}

InitSpec read_init(const Properties& value) {
  InitSpec init;
  const std::string kind = value.string("kind");
  init.kind = kind == "value" ? CCCL_VALUE_INIT : kind == "future" ? CCCL_FUTURE_VALUE_INIT : CCCL_NO_INIT;
  init.value = read_type(value.object("value"));
  init.position = read_position(value, init.value.size);
  return init;
}

CodeUnit read_code(const Properties& value) {
  CodeUnit code;
  code.key = value.string("key");
  code.source = value.string_or_empty("source");
  if (value.has("ltoir")) {
    void* data = nullptr;
    std::size_t size = 0;
    if (napi_get_typedarray_info(value.env(), value.get("ltoir"), nullptr, &size, &data, nullptr, nullptr) != napi_ok) {
      wrong_property("ltoir", "a Uint8Array");
    }
    const auto* bytes = static_cast<const std::byte*>(data);
    code.ltoir.assign(bytes, bytes + size);
  }
  return code;
}

}  // namespace

BuildSpec read_build_spec(napi_env env, napi_value value) {
  const Properties given(env, value);
  BuildSpec spec;
  spec.algorithm = given.string("algorithm");
  spec.kernel_key = given.string("kernelKey");
  spec.compute_capability = static_cast<int>(given.number("computeCapability"));
  spec.whole = given.boolean("whole");
  for (const napi_value slot : given.elements("slots")) spec.slots.push_back(read_slot({env, slot}));
  for (const napi_value op : given.elements("operators")) spec.operators.push_back(read_operator({env, op}));
  for (const napi_value code : given.elements("code")) spec.code.push_back(read_code({env, code}));
  if (given.has("init")) spec.init = read_init(given.object("init"));
  const Properties options = given.object("options");
  for (const std::string& name : options.names()) {
    spec.options[name] = static_cast<std::int64_t>(options.number(name.c_str()));
  }
  return spec;
}

}  // namespace cuda_compute
