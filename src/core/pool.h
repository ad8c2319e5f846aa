// Where the objects behind public handles and descriptors live.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace bsblas {

// Memory of one kind of object (which starts with a word `magic` and names its value `alive`) that is never given back
// to the heap: a pointer to a destroyed object still points to a word that says so, and the next entry point refuses it
// instead of reading freed memory.
template <class Object>
class Pool {
public:
    template <class... Arguments>
    static Object* create(Arguments&&... arguments) {
        void* place = take();
        try {
            Object* object = new (place) Object(std::forward<Arguments>(arguments)...);
            object->magic = Object::alive;
            return object;
        } catch (...) {
            give(place);
            throw;
        }
    }

    static void destroy(Object* object) {
        object->~Object();
        // The destructor ends the object's life; this marks the memory, which the pool owns.
        *reinterpret_cast<volatile uint64_t*>(object) = 0;
        give(object);
    }

    static bool is_alive(const Object* object) {
        return object && *reinterpret_cast<const volatile uint64_t*>(object) == Object::alive;
    }

private:
    struct State {
        std::mutex mutex;
        std::vector<void*> free;
        size_t made = 0;
    };
    // Ready before any thread asks, and never destroyed: descriptors may outlive static destructors.
    union Place {
        State state;
        constexpr Place() : state() {}
        ~Place() {}
    };

    static void* take() {
        (void)registered_;
        const std::lock_guard lock(state_.mutex);
        if (state_.free.empty()) {
            state_.free.reserve(++state_.made);  // so that give() cannot fail
            return ::operator new(sizeof(Object), std::align_val_t(alignof(Object)));
        }
        void* place = state_.free.back();
        state_.free.pop_back();
        return place;
    }
    static void give(void* place) {
        const std::lock_guard lock(state_.mutex);
        state_.free.push_back(place);
    }

    static constinit inline Place place_;
    static constexpr State& state_ = place_.state;
    // A child of fork() must not find the mutex held by a thread that it does not have.
    static inline const int registered_ =
        pthread_atfork([] { state_.mutex.lock(); }, [] { state_.mutex.unlock(); }, [] { state_.mutex.unlock(); });
};

}  // namespace bsblas
