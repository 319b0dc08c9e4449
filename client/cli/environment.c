#define _GNU_SOURCE
#include "client/cli/environment.h"

#include <ctype.h>
#include <string.h>

#include "client/quoin.h"
#include "wire/suggest.h"

enum { ENVIRONMENT_NAME_MAX = 64 };

static const char prefix[] = "QUOIN_";

/* The search for a name, without the prefix: all begin with that. */
struct search {
    struct suggest suggest;
    bool known;
};

/* Names are written small where they are known, and large in the environment. */
static bool is_large(const char *name)
{
    while (*name != '\0' && islower((unsigned char)*name) == 0) {
        name++;
    }
    return *name == '\0';
}

static void offer(struct search *search, const char *name)
{
    const char *word = search->suggest.word;
    search->known = search->known || (strcasecmp(word, name) == 0 && is_large(word));
    suggest_offer(&search->suggest, name);
}

static void offer_property(void *arg, const qn_property *property)
{
    offer(arg, property->name);
}

static void check(const char *name, FILE *to)
{
    struct search search = {.suggest = {.word = name}};
    offer(&search, "uri");
    offer(&search, "cache");
    offer(&search, "types");
    qn_property_list(offer_property, &search);
    if (search.known || search.suggest.nearest == NULL) {
        return;
    }
    fprintf(to, "quoin: the environment variable %s%s is not read; did you mean %s", prefix, name,
            prefix);
    for (const char *c = search.suggest.nearest; *c != '\0'; c++) {
        fputc(toupper((unsigned char)*c), to);
    }
    fputs("?\n", to);
}

void environment_check(const char *const *environ, FILE *to)
{
    const size_t skip = sizeof prefix - 1;
    for (; *environ != NULL; environ++) {
        char name[ENVIRONMENT_NAME_MAX];
        size_t size = strcspn(*environ, "=");
        if (size <= skip || size - skip >= sizeof name || strncmp(*environ, prefix, skip) != 0) {
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(size - skip), *environ + skip);
        if (strstr(name, "__") == NULL) {
            check(name, to);
        }
    }
}
