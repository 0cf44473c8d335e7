// A large array of zeros, which uses memory and time only where it is touched.
#pragma once

#include <cstddef>
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
    explicit Zeroed(std::size_t size) : size_(size), memory_(nullptr, Release{0}) {
        const std::size_t wanted = bytes() + cache_line;
#ifdef __linux__
        // From the operating system, whose new pages are zero: calloc may have to clear memory that was used before.
        if (wanted > large) {
            void* mapped = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (mapped == MAP_FAILED) throw std::bad_alloc();
            // Sparse rows touch a large model at random places. Huge pages avoid most address look-ups.
            madvise(mapped, wanted, MADV_HUGEPAGE);
            memory_ = {mapped, Release{wanted}};
        }
#endif
        if (!memory_) memory_ = {std::calloc(wanted, 1), Release{0}};
        if (!memory_) throw std::bad_alloc();
        const auto address = reinterpret_cast<uintptr_t>(memory_.get());
        data_ = reinterpret_cast<T*>((address + cache_line - 1) / cache_line * cache_line);
    }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t bytes() const { return size_ * sizeof(T); }

private:
    static constexpr std::size_t cache_line = 64, large = std::size_t(4) << 20;

    struct Release {
        std::size_t mapped;  // bytes; 0 if the memory comes from calloc
        void operator()(void* memory) const {
#ifdef __linux__
            if (mapped) {
                munmap(memory, mapped);
                return;
            }
#endif
            std::free(memory);
        }
    };

    std::size_t size_;
    std::unique_ptr<void, Release> memory_;
    T* data_;
};

}  // namespace warmcb
