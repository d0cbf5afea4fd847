// Expectations for the kit's tests: failures are reported on stderr.

#pragma once

#include <iostream>
#include <string>

inline int failures = 0;

inline void expect_equal(std::string const& got, std::string const& expected, char const* file,
                         int line) {
    if (got == expected) return;
    ++failures;
    std::cerr << file << ':' << line << ": got\n" << got << "\nexpected\n" << expected << '\n';
}

#define EXPECT_EQUAL(got, expected) expect_equal(got, expected, __FILE__, __LINE__)
