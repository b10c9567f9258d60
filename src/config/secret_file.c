/* secret_file.c - reads a secret from a file that other users cannot read. One line: an editor's
 * line break at the end is removed, and more lines are refused, because part of the secret would be
 * ignored. */
#include "config/secret_file.h"

#include "base/arena.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET_MAX 4096

/* A name with a slash is a path. */
const char *
secret_file_path(struct arena *mem, const char *name)
{
    /* Set by systemd for LoadCredential=. The folder's path differs between units, so settings
     * contain only the name. */
    const char *folder = getenv("CREDENTIALS_DIRECTORY");
    if (folder == NULL || strchr(name, '/') != NULL)
        return name;
    return str_format(mem, "%s/%s", folder, name).ptr;
}

/* The problem of the file or its content, as the end of a sentence; NULL: none. */
static const char *
problem_of(const struct stat *info, ssize_t length, struct str text)
{
    if (!S_ISREG(info->st_mode))
        return "is not a file";
    /* The group may read it, as with mode 0640. */
    if ((info->st_mode & S_IRWXO) != 0)
        return "is open to every user of this machine; run chmod o= on it";
    if (length < 0)
        return "cannot be read";
    if (length > SECRET_MAX)
        return "is larger than 4096 bytes";
    if (text.len == 0)
        return "is empty";
    if (str_index(text, '\n') < text.len || str_index(text, '\0') < text.len)
        return "must contain one line";
    return NULL;
}

/* The content without line breaks at its end, which editors add. */
enum err
secret_file_read(struct arena *mem, const char *setting, const char *path, const char **out,
                 struct why *why)
{
    struct stat info = { 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0) {
        why_set(why, "%s: cannot read %s: %s", setting, path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return ERR_INVALID;
    }
    char *bytes = arena_alloc(mem, SECRET_MAX + 1);
    /* Not a FIFO or a device, whose read could block the start. */
    ssize_t length = S_ISREG(info.st_mode) ? read(fd, bytes, SECRET_MAX + 1) : 0;
    close(fd);
    struct str text = { bytes, length < 0 ? 0 : (size_t)length };
    while (text.len > 0 && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
        text.len--;
    const char *problem = problem_of(&info, length, text);
    if (problem != NULL) {
        why_set(why, "%s: %s %s", setting, path, problem);
        return ERR_INVALID;
    }
    *out = str_c(mem, text);
    return ERR_NONE;
}
