/* Rows of the command table: files in and out. */
#include "client/cli/command_rows.h"

static const struct option_spec import_options[] = {
    TEXT("type", "NAME", type, "type of the records (default: the cache's, in the types file)"),
    TEXT("key-field", "FIELD", key_field, "field that is the key (default: in the types file)"),
    VIEW,
    TEXT("format", "FORMAT", format, "json, jsonl or csv (default: by name and content)"),
    TEXT("at", "NAME", at, "JSON: the array is the member NAME of an object"),
    TEXT("delimiter", "CHAR", delimiter, "CSV: what separates fields (default ','; \\t = tab)"),
    FLAG("no-header", no_header, "CSV: the first line is a record, too"),
    TEXT("fields", "A,B,...", fields, "CSV: names of the columns; an empty name skips one"),
    TEXT("rejects", "FILE", rejects_file,
         "where rejected records go (default: beside FILE, FILE.rejected)"),
    NUMBER("in-flight", "N", in_flight, OPTION_COUNT, 1, 4096, "records under way (default 512)"),
    TTL("how long the records live (default: the cache's)"),
    FLAG("verify", verify, "write nothing; read every record back and compare it"),
    FLAG("resume", resume, "go on where an import of this file was stopped"),
    TEXT("state", "FILE", state_file, "where it stands is kept here (default: FILE.progress)"),
    CREATE,
};

static const char *const import_examples[] = {
    "quoin import people.csv --cache people --types types.cfg",
    "quoin import iso_639-3.json --at 639-3 --cache languages --types types.cfg",
    "quoin import UnicodeData.txt --cache characters --types types.cfg --format csv "
    "--delimiter ';' --no-header",
    "quoin import people.csv --cache people --types types.cfg --resume",
    "quoin import people.csv --cache people --types types.cfg --verify",
    NULL,
};

static const struct option_spec export_options[] = {
    TEXT("type", "NAME", type, "type of the values (default: the cache's, in the types file)"),
    TEXT("key-field", "FIELD", key_field, "field that is the key (default: in the types file)"),
    VIEW,
    TEXT("format", "FORMAT", format, "json, jsonl or csv (default: by name, else jsonl)"),
    TEXT("delimiter", "CHAR", delimiter, "CSV: what separates fields (default ','; \\t = tab)"),
    FLAG("keys-only", keys_only, "no values"),
    NUMBER("limit", "N", limit, OPTION_COUNT, 0, INT64_MAX, "stop after N records (default: all)"),
    FLAG("fresh", fresh, "a new view first: with everything acknowledged before the command"),
    FLAG("resume", resume, "go on where an export into this file was stopped"),
    TEXT("state", "FILE", state_file, "where it stands is kept here (default: FILE.progress)"),
};

static const char *const export_examples[] = {
    "quoin export people.csv --cache people --types types.cfg",
    "quoin export people.csv --cache people --types types.cfg --resume",
    "quoin export - --cache people --limit 10",
    "quoin export keys.jsonl --cache people --keys-only",
    NULL,
};

static const struct command rows[] = {
    {
        .name = "import",
        .arguments = "FILE",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "store the records of a CSV or JSON file",
        .detail =
            "A record that does not fit its type is rejected, with line and reason, into a side "
            "file; the "
            "others are stored. Once a second it is written down how far the import has got, in "
            "FILE.progress; after Ctrl-C or a failure the same command with --resume goes on "
            "there. At the end scans and counts see every record.\n\n"
            "Without a type for the cache, a JSON record is {\"key\": ..., \"value\": ...}, as "
            "export "
            "writes it; a CSV needs a type.\n\n"
            "In a CSV an empty cell is a field that is not there, octets are base64, and what has "
            "several parts is JSON.",
        .examples = import_examples,
        OPTIONS(import_options),
        .traits = COMMAND_FILE,
        .run = run_import,
    },
    {
        .name = "export",
        .arguments = "FILE",
        .argument_min = 1,
        .argument_max = 1,
        .summary = "write the entries of a cache to a CSV or JSON file ('-' = stdout)",
        .detail =
            "What import reads, export writes. The entries are those of the view of the last soft "
            "commit. "
            "Where the types file names the type of the values, a record has their fields; else it "
            "has "
            "the key and the value: in JSON so that import makes the same octets of them, in CSV "
            "for "
            "reading only.\n\n"
            "Until the file is complete it is called FILE.part, and where it stands is kept in "
            "FILE.progress. A file that is there already is never written over.",
        .examples = export_examples,
        OPTIONS(export_options),
        .traits = COMMAND_FILE,
        .run = run_export,
    },
};

const struct command_group commands_files = {"files", rows, COUNT_OF(rows)};
