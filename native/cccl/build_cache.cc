#include "native/cccl/build_cache.h"

#include <utility>

#include "native/cccl/library.h"
#include "native/cccl/operator_compiler.h"

namespace cuda_compute {
namespace {

/// Artifacts of some 200 kB each.
constexpr std::size_t artifact_bound = 2048;

std::string code_key(const CodeUnit& unit, int compute_capability) {
  return "operator " + std::to_string(compute_capability) + " " + unit.key;
}

std::string build_key(const BuildSpec& spec) {
  std::string key = "build " + spec.kernel_key;
  for (const CodeUnit& unit : spec.code) key += " " + unit.key;
  return key;
}

}  // namespace

std::shared_ptr<const Artifact> MemoryStore::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return artifacts_.find(key).value_or(nullptr);
}

void MemoryStore::insert(const std::string& key, std::shared_ptr<const Artifact> artifact) {
  const std::lock_guard lock(mutex_);
  artifacts_.insert(key, std::move(artifact));
}

void MemoryStore::clear() {
  const std::lock_guard lock(mutex_);
  artifacts_.clear();
}

BuildCache::BuildCache(std::unique_ptr<ArtifactStore> store) : store_(std::move(store)) {}

BuildCache& BuildCache::process() {
  // Leaked on purpose: unloading builds from a static destructor would call a driver that is gone.
  static auto& cache = *new BuildCache(std::make_unique<MemoryStore>(artifact_bound));
  return cache;
}

std::shared_ptr<const Build> BuildCache::get(const BuildSpec& spec) {
  const std::string key = build_key(spec);
  {
    const std::lock_guard lock(mutex_);
    if (auto found = builds_.find(key)) {
      ++statistics_.hits;
      return *found;
    }
  }
  return builds_in_flight_.run(key, [&] { return make(spec, key); });
}

BuildCache::SharedBuild BuildCache::make(const BuildSpec& spec, const std::string& key) {
  {
    // Another thread may have finished between the look-up and the flight.
    const std::lock_guard lock(mutex_);
    if (auto found = builds_.find(key)) return *found;
  }
  const SharedArtifact artifact = linked(spec, key);
  SharedBuild build = find_algorithm(spec.algorithm).load(Library::get(), spec, *artifact);
  const std::lock_guard lock(mutex_);
  ++statistics_.loads;
  builds_.insert(key, build);
  return build;
}

template <typename Make>
BuildCache::SharedArtifact BuildCache::stored(const std::string& key, Make&& make) {
  if (auto found = store_->find(key)) return found;
  return artifacts_in_flight_.run(key, [&] {
    if (auto found = store_->find(key)) return found;
    SharedArtifact artifact = std::make_shared<const Artifact>(make());
    store_->insert(key, artifact);
    return artifact;
  });
}

BuildCache::SharedArtifact BuildCache::linked(const BuildSpec& spec, const std::string& key) {
  return stored(key, [&] {
    const Library& library = Library::get();
    const Algorithm& algorithm = find_algorithm(spec.algorithm);
    const std::vector<SharedArtifact> code = all_code(spec);
    if (spec.whole) {
      Artifact artifact = algorithm.compile(library, spec, code);
      const std::lock_guard lock(mutex_);
      ++statistics_.kernels_compiled;
      return artifact;
    }
    Artifact artifact = algorithm.link(library, *kernel(spec), code);
    const std::lock_guard lock(mutex_);
    ++statistics_.links;
    return artifact;
  });
}

BuildCache::SharedArtifact BuildCache::kernel(const BuildSpec& spec) {
  return stored("kernel " + spec.kernel_key, [&] {
    Artifact artifact = find_algorithm(spec.algorithm).compile(Library::get(), spec, {});
    const std::lock_guard lock(mutex_);
    ++statistics_.kernels_compiled;
    return artifact;
  });
}

BuildCache::SharedArtifact BuildCache::code(const CodeUnit& unit, int compute_capability) {
  return stored(code_key(unit, compute_capability), [&] {
    Artifact artifact = compile_operator(Library::get(), unit, compute_capability);
    const std::lock_guard lock(mutex_);
    ++statistics_.operators_compiled;
    return artifact;
  });
}

std::vector<BuildCache::SharedArtifact> BuildCache::all_code(const BuildSpec& spec) {
  std::vector<SharedArtifact> result;
  result.reserve(spec.code.size());
  // Before any kernel: a mistake in an operator shows in milliseconds.
  for (const CodeUnit& unit : spec.code) result.push_back(code(unit, spec.compute_capability));
  return result;
}

BuildStatistics BuildCache::statistics() const {
  const std::lock_guard lock(mutex_);
  BuildStatistics result = statistics_;
  result.builds = builds_.size();
  return result;
}

void BuildCache::clear() {
  store_->clear();
  const std::lock_guard lock(mutex_);
  builds_.clear();
}

}  // namespace cuda_compute
