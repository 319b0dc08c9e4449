#include "wire/suggest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { WORD_MAX = 64 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int lower(char c)
{
    return tolower((unsigned char)c);
}

static int same(char a, char b)
{
    return lower(a) == lower(b);
}

/* Optimal string alignment: three rows of the classic table are enough. */
size_t suggest_distance(const char *a, const char *b)
{
    size_t a_size = strlen(a), b_size = strlen(b);
    size_t rows[3][WORD_MAX + 1];

    if (a_size > WORD_MAX || b_size > WORD_MAX) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= b_size; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t change = above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
            row[j] = least(change, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
                row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
            }
        }
    }
    return rows[a_size % 3][b_size];
}

void suggest_offer(struct suggest *suggest, const char *candidate)
{
    size_t distance = suggest_distance(suggest->word, candidate);
    size_t near = strlen(candidate) / 3;

    if (distance > (near > 1 ? near : 1)) {
        return;
    }
    if (!suggest->nearest || distance < suggest->distance) {
        suggest->nearest = candidate;
        suggest->distance = distance;
    }
}
