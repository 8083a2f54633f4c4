#include "native/addon/build_spec_reader.h"

#include <string>
#include <vector>

#include "native/addon/frame.h"
#include "native/driver/failure.h"

namespace cuda_compute {
namespace {

Napi::Object object(const Napi::Object& owner, const char* name) { return owner.Get(name).As<Napi::Object>(); }

std::string string(const Napi::Object& owner, const char* name) { return owner.Get(name).As<Napi::String>(); }

std::string string_or_empty(const Napi::Object& owner, const char* name) {
  return owner.Get(name).IsUndefined() ? std::string() : string(owner, name);
}

double number(const Napi::Object& owner, const char* name) { return owner.Get(name).As<Napi::Number>().DoubleValue(); }

std::uint32_t uint32(const Napi::Object& owner, const char* name) {
  return owner.Get(name).As<Napi::Number>().Uint32Value();
}

cccl_type_info read_type(const Napi::Object& given) {
  cccl_type_info type{};
  type.size = uint32(given, "size");
  type.alignment = uint32(given, "alignment");
  type.type = static_cast<cccl_type_enum>(number(given, "type"));
  return type;
}

/// A place of `size` bytes in the frame's state area.
std::uint32_t read_position(const Napi::Object& given, std::size_t size) {
  const std::uint32_t position = uint32(given, "position");
  if (position < offsetof(CallFrame, state) || position + size > CallFrame::size) {
    throw Failure(FailureKind::argument, "ERR_BUILD_SPEC", "A position of the build lies outside of the call frame.");
  }
  return position;
}

SlotSpec read_slot(const Napi::Object& given) {
  SlotSpec slot;
  slot.is_iterator = string(given, "kind") == "iterator";
  slot.value = read_type(object(given, "value"));
  slot.state_size = uint32(given, "stateSize");
  slot.state_alignment = uint32(given, "stateAlignment");
  slot.position = read_position(given, slot.state_size);
  slot.advance = string_or_empty(given, "advance");
  slot.dereference = string_or_empty(given, "dereference");
  return slot;
}

OperatorSpec read_operator(const Napi::Object& given) {
  OperatorSpec spec;
  spec.kind = static_cast<cccl_op_kind_t>(number(given, "kind"));
  spec.symbol = string(given, "symbol");
  spec.state_size = uint32(given, "stateSize");
  spec.state_alignment = uint32(given, "stateAlignment");
  spec.position = read_position(given, spec.state_size);
  return spec;
}

InitSpec read_init(const Napi::Object& given) {
  InitSpec init;
  const std::string kind = string(given, "kind");
  init.kind = kind == "value" ? CCCL_VALUE_INIT : kind == "future" ? CCCL_FUTURE_VALUE_INIT : CCCL_NO_INIT;
  init.value = read_type(object(given, "value"));
  init.position = read_position(given, kind == "future" ? sizeof(void*) : init.value.size);
  return init;
}

CodeUnit read_code(const Napi::Object& given) {
  CodeUnit code;
  code.key = string(given, "key");
  code.source = string_or_empty(given, "source");
  if (const Napi::Value ltoir = given.Get("ltoir"); !ltoir.IsUndefined()) {
    const auto bytes = ltoir.As<Napi::Uint8Array>();
    const auto* data = reinterpret_cast<const std::byte*>(bytes.Data());
    code.ltoir.assign(data, data + bytes.ByteLength());
  }
  return code;
}

/// Every element of the array that `name` is.
template <typename Read>
auto read_all(const Napi::Object& owner, const char* name, Read read) {
  const auto list = owner.Get(name).As<Napi::Array>();
  std::vector<decltype(read(Napi::Object()))> result;
  result.reserve(list.Length());
  for (std::uint32_t i = 0; i < list.Length(); ++i) result.push_back(read(list.Get(i).As<Napi::Object>()));
  return result;
}

}  // namespace

BuildSpec read_build_spec(const Napi::Object& given) {
  BuildSpec spec;
  spec.algorithm = string(given, "algorithm");
  spec.kernel_key = string(given, "kernelKey");
  spec.compute_capability = static_cast<int>(number(given, "computeCapability"));
  spec.whole = given.Get("whole").As<Napi::Boolean>();
  spec.slots = read_all(given, "slots", read_slot);
  spec.operators = read_all(given, "operators", read_operator);
  spec.code = read_all(given, "code", read_code);
  if (const Napi::Value init = given.Get("init"); !init.IsUndefined()) spec.init = read_init(init.As<Napi::Object>());
  for (const auto& [name, value] : object(given, "options")) {
    const Napi::Value option = value;
    spec.options[name.As<Napi::String>()] = option.As<Napi::Number>().Int64Value();
  }
  return spec;
}

}  // namespace cuda_compute
