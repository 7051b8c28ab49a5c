// Runs in the page's own realm before the page's scripts, in contexts whose clock can be emulated, and replaces what
// tells the time or waits for it. The functions that it wraps keep their name, length and text.
//
// Until the server changes the clock, it shows the real time. While the clock runs, each timer waits in a timer of the
// browser, or of listen.js, which counts it for settling. While it is stopped, timers wait for `tick` only. All that
// the server does are events of secret types at the window; in Firefox 153, a document without an address, with its
// listeners, is replaced in the same window when a frame loads its page:
// * `clock` changes the clock, and tells how far to move it. The event is cancelled, as proof that it was received.
// * `tick` fires the timer that is due next, in a microtask: a callback must not find an event of a secret type in
//   `window.event`. The event is cancelled if there was one; otherwise the clock has arrived, and runs again if it should.
// * `skip` moves the clock to its end at once. Each timer that is due until then fires only once.
/** @typedef {import('./src/act/clock.js').ClockState} ClockState */
/** @param {string} secret @param {ClockState} initial */
(secret, initial) => {
  /** @type {(target: Function, self: unknown, parameters: ArrayLike<unknown>) => any} */
  const apply = Reflect.apply;
  const {construct} = Reflect;
  const page = /** @type {any} */ (window); // its properties are taken by name
  /** @param {object} owner @param {string} name @returns {any} */
  const descriptorOf = (owner, name) => Object.getOwnPropertyDescriptor(owner, name);
  const {addEventListener: add} = EventTarget.prototype;
  const {preventDefault: cancel} = Event.prototype;
  const {get: dataOf} = descriptorOf(MessageEvent.prototype, 'data');
  const {parse} = JSON;
  const {max, round} = Math;
  const queue = queueMicrotask;
  const clock = performance;
  const RealDate = Date;
  const [realDate, realNow] = [Date.now, Performance.prototype.now];
  const {get: realOrigin} = descriptorOf(Performance.prototype, 'timeOrigin');

  /** @returns {number} */
  const ticksOfBrowser = () => apply(realNow, clock, []);
  // Emulated minus real time of `Date` and of `performance` while the clock runs.
  let [dateShift, tickShift] = [0, 0];
  let stoppedTicks = 0; // time of `performance` while the clock does not run
  let runs = true;
  /** @type {number | null} */
  let fixed = null;
  let goal = 0; // time of `performance` to move to
  let next = initial;
  const elapsed = () => (runs ? ticksOfBrowser() + tickShift : stoppedTicks);
  const stoppedDate = () => next.time - (goal - stoppedTicks);
  const date = () => fixed ?? (runs ? apply(realDate, RealDate, []) + dateShift : round(stoppedDate()));
  /** Emulated minus real time of `performance`. */
  const lead = () => (runs ? tickShift : stoppedTicks - ticksOfBrowser());

  // Timers.
  /**
   * `native` is the id of the browser's timer that the callback waits in, `repeats` whether that is an interval.
   * @typedef {{id: number, kind: 'timer' | 'frame' | 'idle', callback: any, parameters: unknown[], due: number,
   *   period: number | undefined, native: any, repeats: boolean}} Timer
   */
  /** @type {Record<number, Timer>} */
  const waiting = Object.create(null);
  const starts = {timer: setTimeout, frame: requestAnimationFrame, idle: page.requestIdleCallback};
  const ends = {timer: clearTimeout, frame: cancelAnimationFrame, idle: page.cancelIdleCallback};
  const repeat = setInterval;
  const first = apply(starts.timer, window, [() => {}]);
  apply(ends.timer, window, [first]);
  let last = first;
  const frame = 16; // milliseconds from one animation frame to the next, while the clock is stopped
  /**
   * Make a timer wait in one of the browser.
   * @param {Timer} timer @param {unknown} wait milliseconds, or the options of an idle callback
   */
  const start = (timer, wait) => {
    timer.repeats = timer.period !== undefined && wait === timer.period;
    const wake = (/** @type {any} */ given) => {
      const isTime = timer.kind === 'frame'; // a callback of a frame is given the time
      fire(timer, timer.kind === 'timer' ? timer.parameters : [isTime ? given + lead() : given]);
    };
    timer.native = apply(timer.repeats ? repeat : starts[timer.kind], window, [wake, wait]);
  };
  /** @param {Timer} timer */
  const stop = (timer) => apply(ends[timer.kind], window, [timer.native]);
  /** @param {Timer} timer @param {unknown[]} given */
  const fire = (timer, given) => {
    if (!waiting[timer.id]) return;
    if (timer.period === undefined) delete waiting[timer.id];
    else {
      timer.due = (runs ? elapsed() : timer.due) + timer.period;
      if (runs && !timer.repeats) start(timer, timer.period);
    }
    const {callback} = timer;
    if (typeof callback === 'function') apply(callback, window, given);
    else apply(starts.timer, window, [callback]); // code as text, which a Content Security Policy may forbid
  };
  /**
   * @param {Timer['kind']} kind @param {any} callback @param {unknown[]} parameters @param {number} delay
   * @param {unknown} wait see `start` @param {boolean} repeats
   */
  const begin = (kind, callback, parameters, delay, wait, repeats) => {
    const due = elapsed() + (runs ? delay : max(delay, 1)); // or else a chain of timers would stop the clock
    const period = repeats ? max(delay, 1) : undefined;
    const timer = {id: ++last, kind, callback, parameters, due, period, native: undefined, repeats: false};
    waiting[timer.id] = timer;
    if (runs) start(timer, repeats ? period : wait);
    return timer.id;
  };
  /** @param {string} name @param {boolean} repeats */
  const replaceTimer = (name, repeats) => {
    page[name] = new Proxy(page[name], {
      apply(target, self, given) {
        if (given.length === 0 || (self !== undefined && self !== window)) return apply(target, self, given);
        const parameters = [];
        for (let index = 2; index < given.length; index++) parameters[index - 2] = given[index];
        const delay = max(0, given[1] | 0);
        return begin('timer', given[0], parameters, delay, delay, repeats);
      },
    });
  };
  replaceTimer('setTimeout', false);
  replaceTimer('setInterval', true);
  page.requestAnimationFrame = new Proxy(starts.frame, {
    apply(target, self, given) {
      if (typeof given[0] !== 'function') return apply(target, self, given);
      const rest = frame - (elapsed() % frame);
      return begin('frame', given[0], [], rest < 1 ? rest + frame : rest, undefined, false);
    },
  });
  if (starts.idle)
    page.requestIdleCallback = new Proxy(starts.idle, {
      apply(target, self, given) {
        if (typeof given[0] !== 'function') return apply(target, self, given);
        return begin('idle', given[0], [], 0, given[1], false);
      },
    });
  const cancellers = /** @type {const} */ ([
    ['clearTimeout', 'timer'],
    ['clearInterval', 'timer'],
    ['cancelAnimationFrame', 'frame'],
    ['cancelIdleCallback', 'idle'],
  ]);
  for (const [name, kind] of cancellers) {
    if (!page[name]) continue;
    page[name] = new Proxy(page[name], {
      apply(target, self, given) {
        const id = given[0] | 0;
        const timer = waiting[id];
        if (timer?.kind === kind) {
          delete waiting[id];
          stop(timer);
        } else if (id < first) apply(target, self, given); // set before this script ran
      },
    });
  }

  // What tells the time.
  const {toString: dateText} = RealDate.prototype;
  page.Date = new Proxy(RealDate, {
    apply: () => apply(dateText, new RealDate(date()), []),
    construct: (target, given, newTarget) => construct(target, given.length === 0 ? [date()] : given, newTarget),
  });
  RealDate.prototype.constructor = page.Date;
  RealDate.now = new Proxy(realDate, {apply: date});
  Performance.prototype.now = new Proxy(realNow, {
    apply: (target, self, given) => apply(target, self, given) + lead(),
  });
  /** @param {object} prototype @param {string} name @param {(value: any) => unknown} change */
  const replaceGetter = (prototype, name, change) => {
    const property = descriptorOf(prototype, name);
    property.get = new Proxy(property.get, {
      apply: (target, self, given) => change(apply(target, self, given)),
    });
    Object.defineProperty(prototype, name, property);
  };
  // Pages add it to `performance.now()` to get the date.
  replaceGetter(Performance.prototype, 'timeOrigin', () =>
    runs ? apply(realOrigin, clock, []) + dateShift - tickShift : stoppedDate() - stoppedTicks,
  );
  // Vue 2 and 3.2 compare it with the time at which a listener was added.
  replaceGetter(Event.prototype, 'timeStamp', (time) => time + lead());
  const formats = Intl.DateTimeFormat.prototype;
  /** Return a function of the same kind that takes the emulated date in place of none. @param {any} format */
  const withDate = (format) =>
    new Proxy(format, {
      apply: (target, self, given) => apply(target, self, given[0] === undefined ? [date()] : given),
    });
  const bound = new WeakMap();
  const [look, keep] = [WeakMap.prototype.get, WeakMap.prototype.set];
  replaceGetter(formats, 'format', (format) => {
    if (!apply(look, bound, [format])) apply(keep, bound, [format, withDate(format)]);
    return apply(look, bound, [format]);
  });
  formats.formatToParts = withDate(formats.formatToParts);
  if (page.Temporal) {
    // in Firefox 139 and Chromium 144
    const {Now, Instant, ZonedDateTime} = page.Temporal;
    const {timeZoneId} = Now;
    const {toZonedDateTimeISO} = Instant.prototype;
    const {toPlainDateTime, toPlainDate, toPlainTime} = ZonedDateTime.prototype;
    const {fromEpochMilliseconds} = Instant;
    const instant = () => apply(fromEpochMilliseconds, Instant, [date()]);
    Now.instant = new Proxy(Now.instant, {apply: instant});
    const parts = {
      zonedDateTimeISO: null,
      plainDateTimeISO: toPlainDateTime,
      plainDateISO: toPlainDate,
      plainTimeISO: toPlainTime,
    };
    for (const [name, part] of Object.entries(parts))
      Now[name] = new Proxy(Now[name], {
        apply(_target, _self, given) {
          const zoned = apply(toZonedDateTimeISO, instant(), [given[0] ?? apply(timeZoneId, Now, [])]);
          return part ? apply(part, zoned, []) : zoned;
        },
      });
  }

  // What the server does.
  /** @param {(timer: Timer) => void} act */
  const each = (act) => {
    for (const id in waiting) act(waiting[id]);
  };
  const freeze = () => {
    if (!runs) return;
    stoppedTicks = elapsed();
    runs = false;
    each(stop);
  };
  const arrive = () => {
    stoppedTicks = goal;
  };
  const thaw = () => {
    dateShift = next.time - next.at;
    tickShift = stoppedTicks - ticksOfBrowser();
    runs = true;
    each((timer) => start(timer, timer.kind === 'timer' ? max(0, timer.due - elapsed()) : undefined));
  };
  const skip = () => {
    arrive();
    each((timer) => {
      if (timer.due < goal) timer.due = goal;
    });
  };
  /** @param {ClockState} state @param {number} by milliseconds to move until then */
  const change = (state, by) => {
    freeze();
    next = state;
    fixed = state.fixed;
    goal = stoppedTicks + by;
  };
  apply(add, window, [
    `${secret} clock`,
    (/** @type {MessageEvent} */ event) => {
      const {state, by, skips} = parse(apply(dataOf, event, []));
      change(state, by);
      if (skips) skip();
      apply(cancel, event, []);
    },
  ]);
  apply(add, window, [`${secret} skip`, skip]);
  apply(add, window, [
    `${secret} tick`,
    (/** @type {Event} */ event) => {
      /** @type {Timer | undefined} */
      let due;
      each((timer) => {
        if (timer.due <= goal && !(due && due.due <= timer.due)) due = timer;
      });
      if (!due) {
        arrive();
        if (next.runs) thaw();
        return;
      }
      const timer = due;
      stoppedTicks = max(stoppedTicks, timer.due);
      const idle = {didTimeout: false, timeRemaining: () => frame};
      const given = {timer: timer.parameters, frame: [stoppedTicks], idle: [idle]}[timer.kind];
      apply(queue, window, [() => fire(timer, given)]);
      apply(cancel, event, []);
    },
  ]);
  if (initial.runs) {
    dateShift = initial.time - initial.at;
    fixed = initial.fixed;
  } else change(initial, 0);
};
