/* quoin-gen-config: print the sample settings file (config/quoin.cfg); with --man the manual page
 * of quoind. */
#include <string.h>

#include "config/cfg.h"
#include "config/gen_man.h"

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--man") == 0) {
        man_write(stdout);
    } else if (argc == 1) {
        cfg_sample_write(stdout);
    } else {
        fputs("usage: quoin-gen-config [--man]\n", stderr);
        return 2;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
