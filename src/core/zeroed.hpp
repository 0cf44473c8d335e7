// A large array of zeros that costs memory only where it is touched.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace warmcb {

template <class T> class Zeroed {
public:
    explicit Zeroed(std::size_t size) : size_(size), memory_(std::calloc(size * sizeof(T) + cache_line, 1), std::free) {
        if (!memory_) throw std::bad_alloc();
        const auto address = reinterpret_cast<uintptr_t>(memory_.get());
        data_ = reinterpret_cast<T*>((address + cache_line - 1) / cache_line * cache_line);
#ifdef __linux__
        // Sparse rows touch a large model at random: huge pages spare them most address look-ups.
        constexpr uintptr_t page = 4096;
        const uintptr_t first = (address + page - 1) / page * page;
        if (bytes() > (4u << 20)) madvise(reinterpret_cast<void*>(first), bytes() - page, MADV_HUGEPAGE);
#endif
    }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t bytes() const { return size_ * sizeof(T); }

private:
    static constexpr std::size_t cache_line = 64;
    std::size_t size_;
    std::unique_ptr<void, decltype(&std::free)> memory_;
    T* data_;
};

}  // namespace warmcb
