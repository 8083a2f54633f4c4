#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "native/cccl/algorithms.h"
#include "native/cccl/build_spec.h"

namespace cuda_compute {

/// Counters since the process began, and what is held now.
struct BuildStatistics {
  std::uint64_t kernels_compiled = 0;
  std::uint64_t operators_compiled = 0;
  std::uint64_t links = 0;
  std::uint64_t loads = 0;
  std::uint64_t hits = 0;
  std::uint64_t builds = 0;
};

/// Keeps compiled code by content keys. In memory here; a store on disk is one more implementation.
class ArtifactStore {
 public:
  virtual ~ArtifactStore() = default;
  [[nodiscard]] virtual std::shared_ptr<const Artifact> find(const std::string& key) = 0;
  virtual void insert(const std::string& key, std::shared_ptr<const Artifact> artifact) = 0;
  virtual void clear() = 0;
};

/// Keeps at most so many values, and drops those that were asked for least recently. Not thread safe.
template <typename Value>
class LeastRecentlyUsed {
 public:
  explicit LeastRecentlyUsed(std::size_t bound) : bound_(bound) {}

  [[nodiscard]] std::optional<Value> find(const std::string& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }

  void insert(const std::string& key, Value value) {
    erase(key);
    entries_.emplace_front(key, std::move(value));
    places_[key] = entries_.begin();
    if (entries_.size() > bound_) erase(std::string(entries_.back().first));
  }

  void erase(const std::string& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return;
    entries_.erase(found->second);
    places_.erase(found);
  }

  void clear() {
    places_.clear();
    entries_.clear();
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  std::size_t bound_;
  std::list<std::pair<std::string, Value>> entries_;
  std::unordered_map<std::string, typename std::list<std::pair<std::string, Value>>::iterator> places_;
};

/// Makes each value once, however many threads ask for it at the same time. A failure reaches all who waited for it,
/// and is forgotten: the next to ask tries again.
template <typename Value>
class SingleFlight {
 public:
  template <typename Make>
  Value run(const std::string& key, Make&& make) {
    std::promise<Value> promise;
    std::shared_future<Value> result;
    {
      const std::lock_guard lock(mutex_);
      const auto found = flights_.find(key);
      if (found == flights_.end()) {
        flights_.emplace(key, promise.get_future().share());
      } else {
        result = found->second;
      }
    }
    if (result.valid()) return result.get();
    try {
      Value value = make();
      promise.set_value(value);
      finish(key);
      return value;
    } catch (...) {
      promise.set_exception(std::current_exception());
      finish(key);
      throw;
    }
  }

 private:
  void finish(const std::string& key) {
    const std::lock_guard lock(mutex_);
    flights_.erase(key);
  }

  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_future<Value>> flights_;
};

/// The builds of the process, made of three parts that are kept by what they depend on: kernels by their signature,
/// operators by their code, linked builds by both. Holds code, never an array; serves all threads.
///
/// At most `build_bound` loaded builds are kept for others to find, the least recently used dropped first. One that is
/// in use lives on with its user, and is unloaded when the last of them lets go of it.
class BuildCache {
 public:
  static constexpr std::size_t build_bound = 1024;

  explicit BuildCache(std::unique_ptr<ArtifactStore> store);

  /// The cache of this process.
  static BuildCache& process();

  /// The build of a specification, made if need be. A device's context must be current. Throws Failure.
  std::shared_ptr<const Build> get(const BuildSpec& spec);

  [[nodiscard]] BuildStatistics statistics() const;

  /// Forgets everything that nobody uses; builds in use live on with their users.
  void clear();

 private:
  using SharedArtifact = std::shared_ptr<const Artifact>;
  using SharedBuild = std::shared_ptr<const Build>;

  SharedBuild make(const BuildSpec& spec, const std::string& key);
  SharedArtifact linked(const BuildSpec& spec, const std::string& key);
  SharedArtifact kernel(const BuildSpec& spec);
  SharedArtifact code(const CodeUnit& unit, int compute_capability);
  std::vector<SharedArtifact> all_code(const BuildSpec& spec);
  /// From the store, or made once and put there.
  template <typename Make>
  SharedArtifact stored(const std::string& key, Make&& make);

  std::unique_ptr<ArtifactStore> store_;
  SingleFlight<SharedArtifact> artifacts_in_flight_;
  SingleFlight<SharedBuild> builds_in_flight_;
  mutable std::mutex mutex_;  // guards what follows
  LeastRecentlyUsed<SharedBuild> builds_{build_bound};
  BuildStatistics statistics_;
};

/// Keeps artifacts in memory, at most so many of them.
class MemoryStore final : public ArtifactStore {
 public:
  explicit MemoryStore(std::size_t bound) : artifacts_(bound) {}
  [[nodiscard]] std::shared_ptr<const Artifact> find(const std::string& key) override;
  void insert(const std::string& key, std::shared_ptr<const Artifact> artifact) override;
  void clear() override;

 private:
  std::mutex mutex_;
  LeastRecentlyUsed<std::shared_ptr<const Artifact>> artifacts_;
};

}  // namespace cuda_compute
