/** Clocks and calendar for the guest: the host's clock, and always UTC. */
import { errno } from "./errno.ts";
import type { GuestMemory } from "./guest-memory.ts";

const realTimeClock = 0;
const clockCount = 4;

/** `pause` is called between two looks at the clock of a guest that waits: it gives the processor away. */
export function timeCalls(memory: GuestMemory, pause: () => void) {
  const started = performance.now();

  function writeCalendar(seconds: bigint, address: number): void {
    const date = new Date(Number(seconds) * 1000);
    const yearStart = Date.UTC(date.getUTCFullYear(), 0, 1);
    const fields = [
      date.getUTCSeconds(),
      date.getUTCMinutes(),
      date.getUTCHours(),
      date.getUTCDate(),
      date.getUTCMonth(),
      date.getUTCFullYear() - 1900,
      date.getUTCDay(),
      Math.floor((date.getTime() - yearStart) / 86_400_000),
      0, // daylight saving
      0, // seconds east of UTC
    ];
    fields.forEach((field, index) => {
      memory.setU32(address + 4 * index, field);
    });
  }

  function readCalendar(address: number): bigint {
    const [second, minute, hour, day, month, year] = [0, 1, 2, 3, 4, 5].map((index) =>
      memory.i32(address + 4 * index),
    ) as [number, number, number, number, number, number];
    const date = new Date(0);
    // Not Date.UTC: that takes the years 0 to 99 for 1900 to 1999.
    date.setUTCFullYear(year + 1900, month, day);
    date.setUTCHours(hour, minute, second);
    if (Number.isNaN(date.getTime())) return -1n;
    const seconds = BigInt(Math.floor(date.getTime() / 1000));
    writeCalendar(seconds, address);
    return seconds;
  }

  return {
    env: {
      emscripten_date_now: () => Date.now(),
      // The C library reads this one only while it waits in sleep().
      emscripten_get_now: () => {
        pause();
        return performance.now() - started;
      },
      _gmtime_js: writeCalendar,
      _localtime_js: writeCalendar,
      _timegm_js: readCalendar,
      _mktime_js: readCalendar,
      _tzset_js: (offset: number, daylight: number, standardName: number, summerName: number) => {
        memory.setU32(offset, 0);
        memory.setU32(daylight, 0);
        memory.setText(standardName, "UTC");
        memory.setText(summerName, "UTC");
      },
    },
    wasi_snapshot_preview1: {
      clock_time_get: (clock: number, _precision: bigint, answer: number) => {
        if (!(clock >= 0 && clock < clockCount)) return errno.EINVAL;
        const milliseconds =
          clock === realTimeClock ? performance.timeOrigin + performance.now() : performance.now() - started;
        memory.setI64(answer, BigInt(Math.round(milliseconds * 1000)) * 1000n);
        return 0;
      },
      clock_res_get: (clock: number, answer: number) => {
        if (!(clock >= 0 && clock < clockCount)) return errno.EINVAL;
        memory.setI64(answer, 1000);
        return 0;
      },
    },
  };
}
