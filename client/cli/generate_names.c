#include "client/cli/generate_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Of C and C++, and macros that no member can be called. A blank before and behind each. */
static const char keywords[] =
    " NULL alignas alignof and and_eq asm auto bitand bitor bool break case catch char "
    "char16_t char32_t char8_t class co_await co_return co_yield compl concept const "
    "const_cast consteval constexpr constinit continue decltype default delete do double "
    "dynamic_cast else enum errno explicit export extern false float for friend goto if "
    "inline int linux long mutable namespace new noexcept not not_eq nullptr offsetof "
    "operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast stderr stdin "
    "stdout struct switch template this thread_local throw true try typedef typeid "
    "typename typeof union unix unsigned using virtual void volatile wchar_t while xor "
    "xor_eq ";

bool generate_is_keyword(const char *word)
{
    size_t length = strlen(word);
    const char *at = keywords;

    while (length > 0 && (at = strstr(at, word)) != NULL) {
        if (at[-1] == ' ' && at[length] == ' ') {
            return true;
        }
        at++;
    }
    return false;
}

bool generate_is_taken(const char *c_name)
{
    return strncmp(c_name, "pof_", 4) == 0 || strncmp(c_name, "qn_", 3) == 0 ||
           strcmp(c_name, "bytes") == 0 || strcmp(c_name, "buf") == 0 ||
           strncmp(c_name, "arena", 5) == 0;
}

static bool is_upper(char c)
{
    return isupper((unsigned char)c) != 0;
}

/* Does a word begin at `at`? "unitPrice" has two, "HTTPServer" as well. */
static bool word_begins(const char *name, size_t at)
{
    if (at == 0 || !is_upper(name[at]) || !isalnum((unsigned char)name[at - 1])) {
        return false;
    }
    bool after_small = !is_upper(name[at - 1]);
    bool before_small = islower((unsigned char)name[at + 1]) != 0;
    return after_small || before_small;
}

static bool problem_set(char *problem, const char *name, const char *what)
{
    snprintf(problem, GENERATE_PROBLEM_MAX, "the name %.100s %s", name, what);
    return false;
}

bool generate_name(const char *prefix, const char *name, char c_name[GENERATE_NAME_MAX],
                   char *problem)
{
    size_t size = 0;

    if (strlen(prefix) + 2 * strlen(name) + 3 > GENERATE_NAME_MAX) {
        return problem_set(problem, name, "is too long for C: shorten it");
    }
    if (*prefix != '\0') {
        size = (size_t)snprintf(c_name, GENERATE_NAME_MAX, "%s_", prefix);
    }
    if (isalpha((unsigned char)name[0]) == 0 && size == 0) {
        return problem_set(problem, name, "does not begin with a letter, as names in C do");
    }
    for (size_t i = 0; name[i] != '\0'; i++) {
        bool between = strchr("_-.$", name[i]) != NULL;
        if (!between && (isalnum((unsigned char)name[i]) == 0 || (name[i] & 0x80) != 0)) {
            return problem_set(problem, name, "can not be written in C: use letters, digits and _");
        }
        if (word_begins(name, i)) {
            c_name[size++] = '_';
        }
        c_name[size++] = between ? '_' : (char)tolower((unsigned char)name[i]);
    }
    c_name[size] = '\0';
    if (generate_is_keyword(c_name)) {
        c_name[size++] = '_';
        c_name[size] = '\0';
    }
    return true;
}
