#include "config/group.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void group_error(const struct group_context *context, const config_setting_t *setting,
                 const char *format, ...)
{
    struct document_place place = document_place(context->document, setting);
    char text[CFG_REPORT_LINE_MAX];
    va_list list;

    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    cfg_report_error(context->report, place.file, place.line, "%s", text);
}

void group_unknown(const struct group_context *context, const config_setting_t *setting,
                   const char *what, const struct suggest *suggest)
{
    const char *nearest = suggest->nearest;

    group_error(context, setting, "unknown %s %s%s%s%s", what, suggest->word,
                nearest ? ": did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static const struct group_attribute *attribute_find(const struct group_attribute *attributes,
                                                    const char *name)
{
    for (; attributes->name; attributes++) {
        if (strcmp(attributes->name, name) == 0) {
            return attributes;
        }
    }
    return NULL;
}

static bool is_texts(const config_setting_t *setting)
{
    bool texts = config_setting_is_array(setting) || config_setting_is_list(setting);

    for (unsigned i = 0; texts && i < (unsigned)config_setting_length(setting); i++) {
        const char *text = config_setting_get_string_elem(setting, (int)i);
        texts = text && *text != '\0';
    }
    return texts;
}

static bool value_check(const struct group_context *context,
                        const struct group_attribute *attribute, const config_setting_t *setting)
{
    const char *name = attribute->name;

    switch (attribute->kind) {
    case GROUP_NUMBER:
        if (config_setting_type(setting) == CONFIG_TYPE_INT &&
            config_setting_get_int(setting) >= 0) {
            return true;
        }
        group_error(context, setting, "%s must be a whole number from 0 to 2147483647", name);
        return false;
    case GROUP_TEXT:
        if (config_setting_type(setting) == CONFIG_TYPE_STRING &&
            config_setting_get_string(setting)[0] != '\0') {
            return true;
        }
        group_error(context, setting, "%s must be a text in quotes, and not empty", name);
        return false;
    case GROUP_LIST:
        if (config_setting_is_list(setting)) {
            return true;
        }
        group_error(context, setting, "%s must be a list of groups: %s = ( { ... }, { ... } );",
                    name, name);
        return false;
    case GROUP_TEXTS:
        if (is_texts(setting)) {
            return true;
        }
        group_error(context, setting, "%s must be a list of texts: %s = [ \"...\", \"...\" ];",
                    name, name);
        return false;
    case GROUP_FLAG:
        if (config_setting_type(setting) == CONFIG_TYPE_BOOL) {
            return true;
        }
        group_error(context, setting, "%s must be true or false, without quotes", name);
        return false;
    case GROUP_ANY:
        return true;
    }
    return false;
}

/* Check one member of a group. */
static bool member_check(const struct group_context *context, const config_setting_t *member,
                         const struct group_attribute *attributes)
{
    struct suggest suggest = {.word = config_setting_name(member)};
    const struct group_attribute *attribute = attribute_find(attributes, suggest.word);

    if (attribute) {
        return value_check(context, attribute, member);
    }
    for (; attributes->name; attributes++) {
        suggest_offer(&suggest, attributes->name);
    }
    group_unknown(context, member, "attribute", &suggest);
    return false;
}

bool group_check(const struct group_context *context, const config_setting_t *group,
                 const char *what, const struct group_attribute *attributes)
{
    bool good = true;

    for (unsigned i = 0; i < (unsigned)config_setting_length(group); i++) {
        good = member_check(context, config_setting_get_elem(group, i), attributes) && good;
    }
    for (; attributes->name; attributes++) {
        if (attributes->required && !config_setting_get_member(group, attributes->name)) {
            group_error(context, group, "%s has no %s", what, attributes->name);
            good = false;
        }
    }
    return good;
}

const config_setting_t *group_element(const struct group_context *context,
                                      const config_setting_t *list, unsigned i, const char *what,
                                      const struct group_attribute *attributes)
{
    const config_setting_t *element = config_setting_get_elem(list, i);

    if (!config_setting_is_group(element)) {
        group_error(context, element, "%s must be a group { }, not %s", what,
                    document_kind(element));
        return NULL;
    }
    return group_check(context, element, what, attributes) ? element : NULL;
}
