#include "native/addon/build_spec_reader.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "native/addon/frame.h"
#include "native/driver/failure.h"

namespace cuda_compute {
namespace {

Failure malformed(const std::string& what) {
  return {FailureKind::argument, "ERR_BUILD_SPEC", "A build's " + what + "."};
}

Napi::Object object(const Napi::Value& value, const char* name) {
  if (!value.IsObject()) throw malformed(std::string(name) + " must be an object");
  return value.As<Napi::Object>();
}

Napi::Object object(const Napi::Object& owner, const char* name) { return object(owner.Get(name), name); }

std::string string(const Napi::Object& owner, const char* name) { return owner.Get(name).As<Napi::String>(); }

std::string string_or_empty(const Napi::Object& owner, const char* name) {
  return owner.Get(name).IsUndefined() ? std::string() : string(owner, name);
}

double number(const Napi::Object& owner, const char* name) { return owner.Get(name).As<Napi::Number>().DoubleValue(); }

std::uint32_t uint32(const Napi::Object& owner, const char* name) {
  return owner.Get(name).As<Napi::Number>().Uint32Value();
}

/// A value of an enumeration of the C library's, whose values are 0 to `last`.
template <typename Enumeration>
Enumeration enumerator(const Napi::Object& owner, const char* name, Enumeration last) {
  const double value = number(owner, name);
  const auto most = static_cast<int>(last);
  const bool is_known = value >= 0 && value <= most && std::trunc(value) == value;
  if (!is_known) {
    throw malformed(std::string(name) + " must be a whole number from 0 to " + std::to_string(most));
  }
  return static_cast<Enumeration>(value);
}

/// The place of a name among those that are allowed.
std::size_t one_of(const Napi::Object& owner, const char* name, std::initializer_list<const char*> allowed) {
  const std::string given = string(owner, name);
  const auto found = std::find(allowed.begin(), allowed.end(), given);
  if (found == allowed.end()) throw malformed(std::string(name) + " cannot be '" + given + "'");
  return static_cast<std::size_t>(found - allowed.begin());
}

cccl_type_info read_type(const Napi::Object& given) {
  cccl_type_info type{};
  type.size = uint32(given, "size");
  type.alignment = uint32(given, "alignment");
  type.type = enumerator(given, "type", CCCL_BFLOAT16);
  return type;
}

/// A place of `size` bytes in the frame's state area.
std::uint32_t read_position(const Napi::Object& given, std::size_t size) {
  const std::uint32_t position = uint32(given, "position");
  if (position < offsetof(CallFrame, state) || position + size > CallFrame::size) {
    throw malformed("position must lie within the call frame's states");
  }
  return position;
}

SlotSpec read_slot(const Napi::Object& given) {
  SlotSpec slot;
  constexpr SlotKind kinds[] = {SlotKind::pointer, SlotKind::iterator, SlotKind::absent};
  slot.kind = kinds[one_of(given, "kind", {"pointer", "iterator", "absent"})];
  slot.value = read_type(object(given, "value"));
  slot.state_size = uint32(given, "stateSize");
  slot.state_alignment = uint32(given, "stateAlignment");
  slot.position = read_position(given, slot.kind == SlotKind::iterator ? slot.state_size : sizeof(CUdeviceptr));
  slot.advance = string_or_empty(given, "advance");
  slot.dereference = string_or_empty(given, "dereference");
  return slot;
}

OperatorSpec read_operator(const Napi::Object& given) {
  OperatorSpec spec;
  spec.kind = enumerator(given, "kind", CCCL_MAXIMUM);
  spec.symbol = string(given, "symbol");
  spec.state_size = uint32(given, "stateSize");
  spec.state_alignment = uint32(given, "stateAlignment");
  spec.position = read_position(given, spec.state_size);
  return spec;
}

InitSpec read_init(const Napi::Object& given) {
  InitSpec init;
  constexpr cccl_init_kind_t kinds[] = {CCCL_VALUE_INIT, CCCL_FUTURE_VALUE_INIT, CCCL_NO_INIT};
  init.kind = kinds[one_of(given, "kind", {"value", "future", "none"})];
  init.value = read_type(object(given, "value"));
  init.position = read_position(given, init.kind == CCCL_FUTURE_VALUE_INIT ? sizeof(CUdeviceptr) : init.value.size);
  return init;
}

ValueSpec read_value(const Napi::Object& given) {
  ValueSpec value;
  value.type = read_type(object(given, "value"));
  value.position = read_position(given, value.type.size);
  return value;
}

CodeUnit read_code(const Napi::Object& given) {
  CodeUnit code;
  code.key = string(given, "key");
  code.source = string_or_empty(given, "source");
  if (const Napi::Value ltoir = given.Get("ltoir"); !ltoir.IsUndefined()) {
    if (!ltoir.IsTypedArray() || ltoir.As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) {
      throw malformed("ltoir must be a Uint8Array");
    }
    const auto bytes = ltoir.As<Napi::Uint8Array>();
    const auto* data = reinterpret_cast<const std::byte*>(bytes.Data());
    code.ltoir.assign(data, data + bytes.ByteLength());
  }
  return code;
}

/// Every element of the array that `name` is.
template <typename Read>
auto read_all(const Napi::Object& owner, const char* name, Read read) {
  const Napi::Value given = owner.Get(name);
  if (!given.IsArray()) throw malformed(std::string(name) + " must be an array");
  const auto list = given.As<Napi::Array>();
  std::vector<decltype(read(Napi::Object()))> result;
  result.reserve(list.Length());
  for (std::uint32_t i = 0; i < list.Length(); ++i) result.push_back(read(object(list.Get(i), name)));
  return result;
}

}  // namespace

BuildSpec read_build_spec(const Napi::Value& specification) {
  const Napi::Object given = object(specification, "specification");
  BuildSpec spec;
  spec.algorithm = string(given, "algorithm");
  spec.kernel_key = string(given, "kernelKey");
  spec.compute_capability = static_cast<int>(number(given, "computeCapability"));
  spec.whole = given.Get("whole").As<Napi::Boolean>();
  spec.slots = read_all(given, "slots", read_slot);
  spec.operators = read_all(given, "operators", read_operator);
  spec.values = read_all(given, "values", read_value);
  spec.code = read_all(given, "code", read_code);
  if (const Napi::Value init = given.Get("init"); !init.IsUndefined()) spec.init = read_init(object(init, "init"));
  for (const auto& [name, value] : object(given, "options")) {
    const Napi::Value option = value;
    spec.options[name.As<Napi::String>()] = option.As<Napi::Number>().Int64Value();
  }
  return spec;
}

}  // namespace cuda_compute
