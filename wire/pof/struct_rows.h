/* The macros that make rows and tables for struct.h, which includes this. */
#ifndef QUOIN_WIRE_POF_STRUCT_ROWS_H
#define QUOIN_WIRE_POF_STRUCT_ROWS_H

/* -- one value -- */

/* POF_FIELD(struct car, year, 2, INT32): member `year` is property 2. A member of another C type
 * than that of the kind does not compile. */
#define POF_FIELD(ctype, member, at, word)                                                         \
    {                                                                                              \
        POF_ROW_(ctype, member, at, word)                                                          \
    }

/* With more that a row can say, in any combination: `.since = 2`, `.full = true`,
 * POF_PRESENT(struct car, has_year), POF_INITIAL(INT32, &year_initial). */
#define POF_FIELD_WITH(ctype, member, at, word, ...)                                               \
    {                                                                                              \
        POF_ROW_(ctype, member, at, word), __VA_ARGS__                                             \
    }

/* Absent unless the bool member `present` is true. A zero that is present is written in full. */
#define POF_PRESENT(ctype, present) .present_place = POF_PLACE_(ctype, present, bool)

/* What it gets when it is absent: a pointer to a constant of the kind's C type. A zero, or NULL, is
 * written then. */
#define POF_INITIAL(word, value)                                                                   \
    .initial = (const char *)(value) + 0 * sizeof(_Generic(*(value), POF_C_##word(1)))

/* The combinations that are used most. */
#define POF_FIELD_INITIAL(ctype, member, at, word, value)                                          \
    POF_FIELD_WITH(ctype, member, at, word, POF_INITIAL(word, value))
#define POF_FIELD_OPTIONAL(ctype, member, at, word, present)                                       \
    POF_FIELD_WITH(ctype, member, at, word, POF_PRESENT(ctype, present))
#define POF_FIELD_SINCE(ctype, member, at, word, from)                                             \
    POF_FIELD_WITH(ctype, member, at, word, .since = (from))

/* In full, be it small or zero, as generic methods write it (writeObject). */
#define POF_FIELD_FULL(ctype, member, at, word)                                                    \
    POF_FIELD_WITH(ctype, member, at, word, .full = true)

/* -- one value of a kind without a C type of its own -- */

/* POF_FIELD_OF(struct car, owner, 6, STRUCT, .nested = &owner_struct, POF_PRESENT(...)): CHARS,
 * STRUCT, STRUCT_PTR, CUSTOM, with what they need and what else a row can say. The member is not
 * checked by the compiler; pof_struct_check looks at its size. */
#define POF_FIELD_OF(ctype, member, at, word, ...)                                                 \
    {                                                                                              \
        POF_ROW_UNCHECKED_(ctype, member, at, POF_FIELD_##word), __VA_ARGS__                       \
    }

/* A member of type char[N]. */
#define POF_FIELD_CHARS(ctype, member, at)                                                         \
    {                                                                                              \
        POF_ROW_UNCHECKED_(ctype, member, at, POF_FIELD_CHARS)                                     \
    }

/* A struct in place, or behind a pointer. */
#define POF_FIELD_STRUCT(ctype, member, at, table)                                                 \
    POF_FIELD_OF(ctype, member, at, STRUCT, .nested = (table))
#define POF_FIELD_STRUCT_PTR(ctype, member, at, table)                                             \
    POF_FIELD_OF(ctype, member, at, STRUCT_PTR, .nested = (table))

/* A level of a class hierarchy: a struct in place, whose index is its type id. */
#define POF_FIELD_LEVEL(ctype, member, id, table)                                                  \
    POF_FIELD_OF(ctype, member, id, STRUCT, .nested = (table), .part = true)

/* By own functions: `functions` is a constant struct pof_codec. When there is a `present`, `write`
 * writes something, be it null: else it is absent. */
#define POF_FIELD_BY(ctype, member, at, functions)                                                 \
    POF_FIELD_OF(ctype, member, at, CUSTOM, .codec = (functions))
#define POF_FIELD_OPTIONAL_BY(ctype, member, at, functions, present)                               \
    POF_FIELD_OF(ctype, member, at, CUSTOM, .codec = (functions), POF_PRESENT(ctype, present))

/* -- many values -- */

/* Member `list` is a pointer to elements of the kind, member `number` (uint32_t) counts them; a
 * pointer that is NULL = null. `form` is ARRAY, LIST, PLAIN_ARRAY or PLAIN_LIST. */
#define POF_FIELD_MANY(ctype, list, number, at, word, form)                                        \
    {                                                                                              \
        POF_ELEMENTS_(ctype, list, at, word, form), .count_place = POF_COUNT_(ctype, number)       \
    }

/* The same for an array in place: at most as many as it has, counted by `number`. */
#define POF_FIELD_MANY_IN_PLACE(ctype, list, number, at, word, form)                               \
    {                                                                                              \
        POF_ELEMENTS_(ctype, list, at, word, form), .fixed = POF_FIXED_(ctype, list),              \
                                                    .count_place = POF_COUNT_(ctype, number)       \
    }

/* An array in place that always has all its elements; another number of them is refused. */
#define POF_FIELD_FIXED(ctype, list, at, word, form)                                               \
    {                                                                                              \
        POF_ELEMENTS_(ctype, list, at, word, form), .fixed = POF_FIXED_(ctype, list)               \
    }

/* Structs of one table, or the pairs of a map (`form` MAP, a table of type POF_PAIR), as
 * POF_FIELD_MANY. */
#define POF_FIELD_STRUCTS(ctype, list, number, at, table, form)                                    \
    {                                                                                              \
        POF_ELEMENTS_UNCHECKED_(ctype, list, at, STRUCT, form),                                    \
            .nested = (table), .count_place = POF_COUNT_(ctype, number)                            \
    }

/* The same for an array of structs in place, as POF_FIELD_MANY_IN_PLACE. */
#define POF_FIELD_STRUCTS_IN_PLACE(ctype, list, number, at, table, form)                           \
    {                                                                                              \
        POF_ELEMENTS_UNCHECKED_(ctype, list, at, STRUCT, form),                                    \
            .nested = (table), .fixed = POF_FIXED_(ctype, list),                                   \
            .count_place = POF_COUNT_(ctype, number)                                               \
    }

/* The same where `list` points to pointers to structs; one that is NULL is a null in the list. */
#define POF_FIELD_STRUCT_PTRS(ctype, list, number, at, table, form)                                \
    {                                                                                              \
        POF_ELEMENTS_UNCHECKED_(ctype, list, at, STRUCT_PTR, form),                                \
            .nested = (table), .count_place = POF_COUNT_(ctype, number)                            \
    }

/* -- tables -- */

/* The table of `ctype`, which the array `rows` describes. */
#define POF_STRUCT(ctype, id, number, rows)                                                        \
    {                                                                                              \
        POF_TABLE_(ctype, id, number, rows)                                                        \
    }

/* The same with members that keep unknown properties (struct bytes) and the version (int32_t) of
 * what was read, so that an old program loses nothing of a newer one. All that the table has no row
 * for is kept, wherever it stands. */
#define POF_STRUCT_EVOLVABLE(ctype, id, number, rows, remainder, data_version)                     \
    {                                                                                              \
        POF_TABLE_(ctype, id, number, rows),                                                       \
            .remainder_place = POF_PLACE_(ctype, remainder, struct bytes),                         \
            .version_place = POF_PLACE_(ctype, data_version, int32_t)                              \
    }

/* A type whose objects several pointers may lead to. They should stand behind pointers: in place
 * there is one more of it after reading. It cannot be evolvable, since references in properties
 * that a program does not know would lead nowhere. */
#define POF_STRUCT_SHARED(ctype, id, number, rows)                                                 \
    {                                                                                              \
        POF_TABLE_(ctype, id, number, rows), .shared = true                                        \
    }

/* The pairs of a map. */
#define POF_STRUCT_PAIR(ctype, rows) POF_STRUCT(ctype, POF_PAIR, 0, rows)

/* A type that is written and read by own functions: `functions` is a constant struct pof_codec. */
#define POF_STRUCT_BY(ctype, functions)                                                            \
    {                                                                                              \
        .size = (uint32_t)sizeof(ctype), .codec = (functions)                                      \
    }

/* -- what the macros are made of -- */

#define POF_C_BOOL(f) bool : f
#define POF_C_OCTET(f)                                                                             \
    uint8_t:                                                                                       \
    f
#define POF_C_CHAR(f)                                                                              \
    uint16_t:                                                                                      \
    f
#define POF_C_INT16(f)                                                                             \
    int16_t:                                                                                       \
    f
#define POF_C_INT32(f)                                                                             \
    int32_t:                                                                                       \
    f
#define POF_C_INT64(f)         long : f, long long : f
#define POF_C_INT128(f)        struct pof_int128 : f
#define POF_C_FLOAT32(f)       float : f
#define POF_C_FLOAT64(f)       double : f
#define POF_C_FLOAT128(f)      struct pof_float128 : f
#define POF_C_DECIMAL(f)       struct pof_decimal : f
#define POF_C_TEXT(f)          const char * : f, char * : f
#define POF_C_STRING(f)        struct bytes : f
#define POF_C_OCTETS(f)        struct bytes : f
#define POF_C_DATE(f)          struct pof_date : f
#define POF_C_TIME(f)          struct pof_time : f
#define POF_C_DATETIME(f)      struct pof_datetime : f
#define POF_C_YEAR_MONTH(f)    struct pof_year_month : f
#define POF_C_TIME_INTERVAL(f) struct pof_day_time : f
#define POF_C_DAY_TIME(f)      struct pof_day_time : f

/* 0; does not compile when `member` has another type than the kind. */
#define POF_CHECK_(member, word) (uint32_t)(0 * sizeof(_Generic((member), POF_C_##word(1))))
#define POF_PLACE_(ctype, member, wanted)                                                          \
    (1 + (uint32_t)(0 * sizeof(_Generic(((ctype *)0)->member, wanted : 1))) +                      \
     (uint32_t)offsetof(ctype, member))
#define POF_COUNT_(ctype, member) POF_PLACE_(ctype, member, uint32_t)
#define POF_FIXED_(ctype, list)                                                                    \
    (uint32_t)(sizeof(((ctype *)0)->list) / sizeof(((ctype *)0)->list[0]))
#define POF_ROW_UNCHECKED_(ctype, member, at, what)                                                \
    .index = (at), .kind = (what), .offset = (uint32_t)offsetof(ctype, member),                    \
    .size = (uint32_t)sizeof(((ctype *)0)->member)
#define POF_ROW_(ctype, member, at, word)                                                          \
    .index = (at), .kind = POF_FIELD_##word,                                                       \
    .offset = POF_CHECK_(((ctype *)0)->member, word) + (uint32_t)offsetof(ctype, member),          \
    .size = (uint32_t)sizeof(((ctype *)0)->member)
#define POF_ELEMENTS_UNCHECKED_(ctype, list, at, word, form)                                       \
    .index = (at), .kind = POF_FIELD_##word, .many = POF_MANY_##form,                              \
    .offset = (uint32_t)offsetof(ctype, list), .size = (uint32_t)sizeof(((ctype *)0)->list[0])
#define POF_ELEMENTS_(ctype, list, at, word, form)                                                 \
    .index = (at), .kind = POF_FIELD_##word, .many = POF_MANY_##form,                              \
    .offset = POF_CHECK_(((ctype *)0)->list[0], word) + (uint32_t)offsetof(ctype, list),           \
    .size = (uint32_t)sizeof(((ctype *)0)->list[0])
#define POF_TABLE_(ctype, id, number, rows)                                                        \
    .type = (id), .version = (number), .size = (uint32_t)sizeof(ctype), .fields = (rows),          \
    .field_count = (uint32_t)(sizeof(rows) / sizeof((rows)[0]))

#endif
