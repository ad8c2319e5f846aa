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
    static Pool& instance() {
        static Pool* pool = make();  // never destroyed: descriptors may outlive static destructors
        return *pool;
    }
    // A child of fork() must not find the mutex held by a thread that it does not have.
    static Pool* make() {
        Pool* pool = new Pool;
        pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                       [] { instance().mutex_.unlock(); });
        return pool;
    }
    static void* take() {
        Pool& pool = instance();
        std::lock_guard lock(pool.mutex_);
        if (pool.free_.empty()) {
            pool.free_.reserve(++pool.made_);  // so that give() cannot fail
            return ::operator new(sizeof(Object), std::align_val_t(alignof(Object)));
        }
        void* place = pool.free_.back();
        pool.free_.pop_back();
        return place;
    }
    static void give(void* place) {
        Pool& pool = instance();
        std::lock_guard lock(pool.mutex_);
        pool.free_.push_back(place);
    }

    std::mutex mutex_;
    std::vector<void*> free_;
    size_t made_ = 0;
};

}  // namespace bsblas
