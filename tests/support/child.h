// Children of fork(), in which a test must not fail but exit.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace bsblas::test {

// A child that ends with 0 when body returns true within so many seconds; a hang does not outlast them.
template <class Body>
pid_t start_child(const Body& body, unsigned seconds = 60) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(seconds);
        _exit(body() ? 0 : 1);
    }
    return child;
}

// 0 when it ended with that; anything else when it did not, or is no child.
inline int status_of(pid_t child) {
    int status = -1;
    return waitpid(child, &status, 0) == child ? status : -1;
}

}  // namespace bsblas::test
