/* What may follow in a command line, from the command table. Pure but for what the source asks. */
#ifndef QUOIN_CLIENT_CLI_COMPLETE_H
#define QUOIN_CLIENT_CLI_COMPLETE_H

#include "client/cli/words.h"

typedef void (*complete_offer)(void *arg, const char *candidate);

/* Where names come from that stand in no table. */
struct complete_source {
    bool current; /* there is a current cache: commands leave theirs out */
    void (*caches)(void *arg, complete_offer offer, void *offer_arg);
    void (*files)(void *arg, const char *begun, complete_offer offer, void *offer_arg);
    void *arg;
};

/* Offer every word that may stand where the line ends: those that begin as its last word when that
 * one is open, else all of them. A word that wants more directly behind it ends in '=' or '/'. */
void complete_line(const struct complete_source *source, const struct words *line,
                   complete_offer offer, void *offer_arg);

#endif
