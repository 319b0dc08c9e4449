#include "config/cfg_set.h"

const char *cfg_shape_wanted(enum cfg_kind kind)
{
    switch (kind) {
    case CFG_BOOL:
        return "true or false";
    case CFG_COUNT:
        return "a whole number without quotes";
    case CFG_SIZE:
        return "a size in quotes, such as \"64MiB\"";
    case CFG_DURATION:
        return "a duration in quotes, such as \"250ms\"";
    case CFG_TEXT:
        return "a text in quotes";
    case CFG_CHOICE:
        return "a word in quotes";
    case CFG_CACHES:
    case CFG_LEVELS:
        return "a list of texts, such as [ \"a\", \"b\" ]";
    }
    return "";
}

bool cfg_shape_fits(enum cfg_kind kind, enum cfg_shape shape)
{
    switch (shape) {
    case CFG_SHAPE_PLAIN:
        return true;
    case CFG_SHAPE_NUMBER:
        return kind == CFG_COUNT;
    case CFG_SHAPE_BOOL:
        return kind == CFG_BOOL;
    case CFG_SHAPE_STRING:
        return kind == CFG_SIZE || kind == CFG_DURATION || kind == CFG_TEXT || kind == CFG_CHOICE;
    case CFG_SHAPE_LIST:
        return kind == CFG_CACHES || kind == CFG_LEVELS;
    case CFG_SHAPE_OTHER:
        return false;
    }
    return false;
}

const char *cfg_shape_name(const struct cfg_raw *raw)
{
    switch (raw->shape) {
    case CFG_SHAPE_PLAIN:
    case CFG_SHAPE_STRING:
        return "a text";
    case CFG_SHAPE_NUMBER:
        return "a bare number";
    case CFG_SHAPE_BOOL:
        return "true or false";
    case CFG_SHAPE_LIST:
        return "a list";
    case CFG_SHAPE_OTHER:
        return raw->shape_text;
    }
    return "";
}
