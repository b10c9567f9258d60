/* sandbox_calls.c - the seccomp filter: a list of allowed system calls. Every other one fails with
 * EPERM. The list is written with the kernel's names; those that one processor lacks are skipped
 * by #ifdef. The kernel remembers which calls are always allowed, so their cost does not depend on
 * the length of the list. */
#include "host/sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define THIS_ARCH AUDIT_ARCH_AARCH64
#else
#error "the system call filter knows only x86-64 and arm64"
#endif

#define TIOCLINUX_REQUEST 0x541C /* pastes into a console, as TIOCSTI does */

static const int allowed[] = {
    /* files */
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_preadv,
    SYS_pwritev,
    SYS_preadv2,
    SYS_pwritev2,
    SYS_lseek,
    SYS_close,
    SYS_close_range,
    SYS_dup,
    SYS_dup3,
    SYS_fcntl,
    SYS_flock,
    SYS_fsync,
    SYS_fdatasync,
    SYS_sync_file_range,
    SYS_fallocate,
    SYS_ftruncate,
    SYS_truncate,
    SYS_sendfile,
    SYS_copy_file_range,
    SYS_fadvise64,
    SYS_readahead,
    SYS_openat,
    SYS_openat2,
    SYS_newfstatat,
    SYS_fstat,
    SYS_statx,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_linkat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_umask,
    SYS_getcwd,
    SYS_fstatfs,
    SYS_statfs,
    SYS_renameat,
    /* memory; mmap and mprotect: see below */
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_mlock,
    SYS_mlock2,
    SYS_munlock,
    SYS_msync,
    SYS_mincore,
    SYS_membarrier,
    /* threads; clone: see below */
    SYS_futex,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_set_tid_address,
    SYS_rseq,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_setaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_sched_setscheduler,
    SYS_getpriority,
    SYS_setpriority,
    SYS_gettid,
    SYS_getpid,
    SYS_getppid,
    SYS_getcpu,
    SYS_exit,
    SYS_exit_group,
    SYS_tgkill,
    /* signals */
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigtimedwait,
    SYS_rt_sigpending,
    SYS_rt_sigsuspend,
    SYS_sigaltstack,
    SYS_restart_syscall,
    /* time */
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_timerfd_gettime,
    SYS_times,
    /* network; socket: see below */
    SYS_socketpair,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_connect,
    SYS_getsockname,
    SYS_getpeername,
    SYS_getsockopt,
    SYS_setsockopt,
    SYS_sendto,
    SYS_recvfrom,
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_sendmmsg,
    SYS_recvmmsg,
    SYS_shutdown,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_ppoll,
    SYS_pselect6,
    SYS_eventfd2,
    SYS_pipe2,
    /* the process and the machine */
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getgroups,
    SYS_getresuid,
    SYS_getresgid,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrandom,
    SYS_getrusage,
    SYS_prlimit64,
    SYS_getrlimit,
    SYS_setrlimit,
    SYS_prctl,
#ifdef SYS_futex_waitv
    SYS_futex_waitv,
#endif
#ifdef SYS_epoll_pwait2
    SYS_epoll_pwait2,
#endif
#ifdef __x86_64__ /* older forms that arm64 never had */
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_unlink,
    SYS_rmdir,
    SYS_rename,
    SYS_link,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_getdents,
    SYS_poll,
    SYS_select,
    SYS_epoll_create,
    SYS_epoll_wait,
    SYS_eventfd,
    SYS_pipe,
    SYS_dup2,
    SYS_time,
    SYS_arch_prctl,
    SYS_utimes,
#endif
#ifdef PENCHANT_ASAN /* the leak check at the end stops all threads from another process */
    SYS_clone,
    SYS_ptrace,
    SYS_wait4,
    SYS_kill,
#endif
};

#define CALLS (sizeof allowed / sizeof *allowed)
#define FILTER_MAX (2 * CALLS + 48)

/* A program for seccomp, as it is built instruction by instruction. */
struct filter {
    struct sock_filter code[FILTER_MAX];
    size_t length;
};

static void
add(struct filter *filter, uint16_t code, uint32_t k, uint8_t if_true, uint8_t if_false)
{
    filter->code[filter->length++] = (struct sock_filter){ code, if_true, if_false, k };
}

static void
load(struct filter *filter, size_t offset)
{
    add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void
give(struct filter *filter, uint32_t result)
{
    add(filter, BPF_RET | BPF_K, result, 0, 0);
}

/* Offset of the lower half of an argument; both processors are little-endian. */
#define ARGUMENT(number) (offsetof(struct seccomp_data, args) + (number) * sizeof(uint64_t))
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)

/* Skips the next `skip` instructions unless the loaded number is the call's. */
static void
for_call(struct filter *filter, int call, uint8_t skip)
{
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, skip);
}

/* Calls whose arguments decide. Each block ends the filter for its call. */
static void
add_conditions(struct filter *filter)
{
    static const uint32_t families[] = { AF_UNIX, AF_INET, AF_INET6, AF_NETLINK };
    static const uint32_t terminal[] = { TIOCSTI, TIOCLINUX_REQUEST };
    enum { FAMILIES = sizeof families / sizeof *families };
    /* A new thread, but no new process. */
    for_call(filter, SYS_clone, 4);
    load(filter, ARGUMENT(0));
    add(filter, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
    give(filter, REFUSED);
    give(filter, SECCOMP_RET_ALLOW);
    /* Its flags are in memory, which a filter cannot read; the C library then uses clone. */
    for_call(filter, SYS_clone3, 1);
    give(filter, SECCOMP_RET_ERRNO | ENOSYS);
    /* Memory is never writable and executable, and never becomes executable. */
    for_call(filter, SYS_mmap, 5);
    load(filter, ARGUMENT(2));
    add(filter, BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC, 0, 0);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, PROT_WRITE | PROT_EXEC, 0, 1);
    give(filter, REFUSED);
    give(filter, SECCOMP_RET_ALLOW);
    for_call(filter, SYS_mprotect, 4);
    load(filter, ARGUMENT(2));
    add(filter, BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
    give(filter, REFUSED);
    give(filter, SECCOMP_RET_ALLOW);
    /* AF_NETLINK: name resolution asks which addresses the machine has. */
    for_call(filter, SYS_socket, FAMILIES + 3);
    load(filter, ARGUMENT(0));
    for (size_t i = 0; i < FAMILIES; i++)
        add(filter, BPF_JMP | BPF_JEQ | BPF_K, families[i], (uint8_t)(FAMILIES - i), 0);
    give(filter, REFUSED);
    give(filter, SECCOMP_RET_ALLOW);
    /* Typing into the terminal of the operator. */
    for_call(filter, SYS_ioctl, 5);
    load(filter, ARGUMENT(1));
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, terminal[0], 1, 0);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, terminal[1], 0, 1);
    give(filter, REFUSED);
    give(filter, SECCOMP_RET_ALLOW);
}

/* In this order: the processor, calls that are always allowed, calls whose arguments decide. The
 * rest is refused. */
enum err
sandbox_filter_calls(struct why *why)
{
    struct filter filter = { .length = 0 };
    load(&filter, offsetof(struct seccomp_data, arch));
    add(&filter, BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0);
    give(&filter, SECCOMP_RET_KILL_PROCESS); /* the same numbers mean other calls there */
    load(&filter, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < CALLS; i++) {
        for_call(&filter, allowed[i], 1);
        give(&filter, SECCOMP_RET_ALLOW);
    }
    add_conditions(&filter);
    give(&filter, REFUSED);
    struct sock_fprog program = { (unsigned short)filter.length, filter.code };
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_LOG, &program) == 0)
        return ERR_NONE;
    why_set(why, "system calls: the kernel refused the filter: %s", strerror(errno));
    return ERR_UNAVAILABLE;
}
