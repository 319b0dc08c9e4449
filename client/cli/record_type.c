#include "client/cli/record_type.h"

static enum cli_exit find_key(const struct cli *cli, const struct pof_schema_type *type,
                              const struct types_cache *cache, const struct pof_schema_field **key)
{
    const char *name = cli->options.key_field;
    bool same = cache != NULL && cache->type == type;
    *key = same && cache->key != NULL ? cache->key : type->key;
    if (name == NULL) {
        return CLI_DONE;
    }
    *key = types_field_find(type, name);
    return *key != NULL
               ? CLI_DONE
               : cli_usage(cli, "--key-field %s: type %s has no such field", name, type->name);
}

enum cli_exit record_type_find(const struct cli *cli, const struct pof_schema_type **type,
                               const struct pof_schema_field **key)
{
    const struct options *options = &cli->options;
    *type = NULL;
    *key = NULL;
    if (cli->types == NULL) {
        return options->type == NULL
                   ? CLI_DONE
                   : cli_usage(cli, "--type %s needs a types file: --types FILE", options->type);
    }
    const struct types_cache *cache = types_cache_find(cli->types, options->cache);
    if (options->type != NULL) {
        *type = types_find(cli->types, options->type);
    } else if (cache != NULL) {
        *type = cache->type;
    }
    if (*type == NULL) {
        return options->type == NULL
                   ? CLI_DONE
                   : cli_usage(cli, "the types file has no type %s", options->type);
    }
    return find_key(cli, *type, cache, key);
}
