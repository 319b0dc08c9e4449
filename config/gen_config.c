/* quoin-gen-config: print the sample settings file (config/quoin.cfg). */
#include "config/cfg.h"

int main(void)
{
    cfg_sample_write(stdout);
    return fflush(stdout) == 0 ? 0 : 1;
}
