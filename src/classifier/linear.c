#include "classifier/linear.h"

/* 64 times the square root, rounded down. */
static int32_t
scaled_root(size_t count)
{
    uint32_t left = (uint32_t)count * 64 * 64, root = 0;
    for (uint32_t bit = 1 << 24; bit > 0; bit >>= 2) {
        bool fits = left >= root + bit;
        left -= fits ? root + bit : 0;
        root = (root >> 1) + (fits ? bit : 0);
    }
    return (int32_t)root;
}

int32_t
linear_score(int32_t sum, const struct features *features, int32_t bias)
{
    return features->count == 0 ? bias : sum * 64 * 64 / scaled_root(features->count) + bias;
}
