/* A program with a known number of operations on files, for test_crash_shim.py:
 *
 *     crash_probe DIR [ARM]
 *
 * In DIR it does 10 operations that count, one after the other, and prints the number of each
 * before it. With ARM it creates that file behind the fifth. Reading, and files elsewhere, do not
 * count. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, ARM_BEHIND = 5 };

static int step_number;

/* Told before the operation, at once: the process may not come to another line. */
static void step(const char *what)
{
    (void)printf("%d %s\n", ++step_number, what);
    (void)fflush(stdout);
}

static void check(int result, const char *what)
{
    if (result < 0) {
        perror(what);
        exit(1);
    }
}

static void arm(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0600);

    check(fd, path);
    (void)close(fd);
}

int main(int argc, char **argv)
{
    char path[PATH_SIZE];

    if (argc < 2) {
        (void)fprintf(stderr, "usage: crash_probe DIR [ARM]\n");
        return 2;
    }
    int dir_fd = open(argv[1], O_RDONLY | O_DIRECTORY);
    check(dir_fd, argv[1]);
    step("mkdirat");
    check(mkdirat(dir_fd, "sub", 0700), "mkdirat");
    step("openat");
    int fd = openat(dir_fd, "sub/file.tmp", O_RDWR | O_CREAT, 0600);
    check(fd, "openat");
    step("posix_fallocate");
    check(-posix_fallocate(fd, 0, 4096), "posix_fallocate");
    step("pwrite");
    check((int)pwrite(fd, "octets", 6, 0), "pwrite");
    step("fdatasync");
    check(fdatasync(fd), "fdatasync");
    if (argc > 2) {
        arm(argv[2]);
    }
    step("renameat");
    check(renameat(dir_fd, "sub/file.tmp", dir_fd, "sub/file"), "renameat");
    step("fsync");
    check(fsync(dir_fd), "fsync");
    step("write");
    check((int)write(fd, "more", 4), "write");
    step("ftruncate");
    check(ftruncate(fd, 3), "ftruncate");
    (void)snprintf(path, sizeof path, "%s/sub/file", argv[1]);
    check(open(path, O_RDONLY), path);
    step("unlink");
    check(unlink(path), "unlink");
    return 0;
}
