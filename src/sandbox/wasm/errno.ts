/** The error numbers of the guest's C library (those of WASI). Thrown inside a system call, answered to the guest. */
export const errno = {
  EACCES: 2,
  EBADF: 8,
  EBUSY: 10,
  EEXIST: 20,
  EFBIG: 22,
  EINVAL: 28,
  EISDIR: 31,
  ELOOP: 32,
  EMFILE: 33,
  ENAMETOOLONG: 37,
  ENOENT: 44,
  ENOSPC: 51,
  ENOSYS: 52,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  ENOTTY: 59,
  EPERM: 63,
  ERANGE: 68,
  EROFS: 69,
  ESPIPE: 70,
} as const;

export class SystemCallError extends Error {
  readonly number: number;

  constructor(name: keyof typeof errno) {
    super(name);
    this.number = errno[name];
  }
}
