#define _GNU_SOURCE
#include "client/cli/form.h"

#include "wire/suggest.h"

struct form form_of(const struct types *types, const struct pof_schema_type *type)
{
    return (struct form){.schema = types != NULL ? &types->schema : NULL,
                         .type = type,
                         .key = type != NULL ? type->key : NULL,
                         .shape = {.kind = POF_SHAPE_USER, .user = type}};
}

/* Complain that the types file has no `what` called `name`. */
static enum cli_exit unknown(const struct cli *cli, const char *option, const struct suggest *found,
                             const char *what)
{
    if (found->nearest != NULL) {
        return cli_usage(cli, "%s %s: %s of this name; did you mean %s?", option, found->word, what,
                         found->nearest);
    }
    return cli_usage(cli, "%s %s: %s of this name", option, found->word, what);
}

static enum cli_exit unknown_type(const struct cli *cli, const char *name)
{
    struct suggest suggest = {.word = name};
    for (size_t i = 0; i < cli->types->schema.type_count; i++) {
        suggest_offer(&suggest, cli->types->schema.types[i].name);
    }
    return unknown(cli, "--type", &suggest, "the types file has no type");
}

static enum cli_exit unknown_view(const struct cli *cli, const char *name)
{
    struct suggest suggest = {.word = name};
    for (size_t i = 0; i < cli->types->schema.view_count; i++) {
        suggest_offer(&suggest, cli->types->schema.views[i].name);
    }
    return unknown(cli, "--view", &suggest, "the types file has no view");
}

static enum cli_exit unknown_key(const struct cli *cli, const struct form *form, const char *name)
{
    struct suggest suggest = {.word = name};
    for (size_t i = 0; i < form->type->field_count; i++) {
        suggest_offer(&suggest, form->type->fields[i].name);
    }
    char what[160];
    snprintf(what, sizeof what, "type %.100s has no field", form->type->name);
    return unknown(cli, "--key-field", &suggest, what);
}

/* What was asked for by name needs a file in which the name stands. */
static enum cli_exit check_file(const struct cli *cli)
{
    const struct options *options = &cli->options;
    const char *option = options->type != NULL                             ? "--type"
                         : options->view != NULL && *options->view != '\0' ? "--view"
                         : options->key_field != NULL                      ? "--key-field"
                                                                           : NULL;
    return option == NULL || cli->types != NULL
               ? CLI_DONE
               : cli_usage(cli, "%s needs a types file: --types FILE, or QUOIN_TYPES", option);
}

static enum cli_exit find_key(const struct cli *cli, const struct types_cache *cache,
                              struct form *form)
{
    const char *name = cli->options.key_field;
    bool same = cache != NULL && cache->type == form->type;
    if (same && cache->key != NULL) {
        form->key = cache->key;
    }
    if (name == NULL) {
        return CLI_DONE;
    }
    if (form->type == NULL) {
        return cli_usage(cli, "--key-field %s: of which type? Give --type NAME", name);
    }
    form->key = types_field_find(form->type, name);
    return form->key != NULL ? CLI_DONE : unknown_key(cli, form, name);
}

static enum cli_exit find_view(const struct cli *cli, const struct types_cache *cache,
                               struct form *form)
{
    const char *name = cli->options.view;
    if (name == NULL) {
        form->view = cache != NULL ? cache->view : NULL;
        return CLI_DONE;
    }
    form->view = pof_schema_view(form->schema, name);
    return form->view != NULL || *name == '\0' ? CLI_DONE : unknown_view(cli, name);
}

enum cli_exit form_find(const struct cli *cli, const char *cache, struct form *form)
{
    const char *name = cli->options.type;
    *form = form_of(cli->types, NULL);
    enum cli_exit code = check_file(cli);
    if (code != CLI_DONE || cli->types == NULL) {
        return code;
    }
    const struct types_cache *known = types_cache_find(cli->types, cache);
    const struct pof_schema_type *type = known != NULL ? known->type : NULL;
    if (name != NULL && (type = types_find(cli->types, name)) == NULL) {
        return unknown_type(cli, name);
    }
    *form = form_of(cli->types, type);
    code = find_key(cli, known, form);
    return code == CLI_DONE ? find_view(cli, known, form) : code;
}

enum cli_exit form_check_reading(const struct cli *cli, const struct form *form)
{
    if (form->view == NULL || form->type == NULL) {
        return CLI_DONE;
    }
    const struct pof_view_type *rules = pof_view_type(form->view, form->type->id);
    const struct pof_schema_field *hidden = pof_view_hidden(rules, form->type);
    if (hidden != NULL) {
        return cli_usage(cli,
                         "view %s shows only some fields of %s, not '%s', so no objects can be "
                         "made of it; give another view, or --view '' for the fields' own names",
                         form->view->name, form->type->name, hidden->name);
    }
    if (form->key != NULL && pof_view_rule(rules, form->key->index).action == POF_VIEW_OMIT) {
        return cli_usage(cli,
                         "view %s hides the key field '%s' of %s; give another view, or --view '' "
                         "for the fields' own names",
                         form->view->name, form->key->name, form->type->name);
    }
    return CLI_DONE;
}

bool form_hides(const struct form *form)
{
    for (size_t i = 0; form->view != NULL && i < form->view->type_count; i++) {
        const struct pof_view_type *rules = &form->view->types[i];
        bool hides = rules->only_listed;
        for (size_t f = 0; f < rules->field_count && !hides; f++) {
            hides = rules->fields[f].action == POF_VIEW_OMIT;
        }
        if (hides) {
            return true;
        }
    }
    return false;
}

bool form_key_is_whole(const struct pof_schema_field *field)
{
    enum pof_shape_kind kind = field->shape->kind;
    return kind == POF_SHAPE_OCTET || kind == POF_SHAPE_INT16 || kind == POF_SHAPE_INT32 ||
           kind == POF_SHAPE_INT64;
}

bool form_key_fits(const struct pof_schema_field *field)
{
    return field->shape->kind == POF_SHAPE_STRING || form_key_is_whole(field);
}

struct pof_json_options form_json(const struct form *form)
{
    return (struct pof_json_options){.schema = form->schema,
                                     .view = form->view,
                                     .shape = form->type != NULL ? &form->shape : NULL};
}
