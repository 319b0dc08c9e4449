#include "client/hex.h"

static const char digits[] = "0123456789abcdef";

char *hex_write(struct bytes octets, char *out)
{
    for (size_t i = 0; i < octets.size; i++) {
        *out++ = digits[octets.data[i] >> 4];
        *out++ = digits[octets.data[i] & 15];
    }
    return out;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool hex_read(const char *text, size_t size, uint8_t *out)
{
    for (size_t i = 0; i < size; i++) {
        int high = digit_of(text[2 * i]);
        int low = high < 0 ? -1 : digit_of(text[2 * i + 1]);
        if (low < 0) {
            return false;
        }
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}
