// The page of a run: from a server (api/…, one stream a browser), or from the element #snapshot alone.
// Times are seconds since the run's time zero. All texts are set as text.
(() => {
'use strict';

const $ = (id) => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';
const FRAME_MS = 250; // between two drawings
const CHART_MS = 1000; // between two drawings of the charts
const SILENCE_MS = 3000;
const SECONDS_KEPT = 1200; // beyond them the server is asked for a snapshot, which folds old seconds
const BARS_KEPT_S = 90;
const LANES_DRAWN = 128; // more are folded by executor
const CLASSES_DRAWN = 4;
const DASHES = [[], [9, 4], [2, 3], [9, 3, 2, 3], [5, 2]];
const CAUSES = { tokens: 'memory tokens', window: 'a micro-batch gathers', capability: 'no lane that can', policy: 'the policy' };

/** An element with attributes, listeners (on…) and children; texts become text nodes. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A short line of a series' color and dashes. */
const swatch = (color, dash = color) =>
  svg('svg', { class: `swatch c${color % 5}`, viewBox: '0 0 22 8', 'aria-hidden': 'true' },
    svg('path', { d: 'M0 4h22', 'stroke-dasharray': DASHES[dash % 5].join(' ') }));

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// ---------------------------------------------------------------- numbers as text

const formats = new Map();
function digits(value, n) {
  if (!formats.has(n)) formats.set(n, new Intl.NumberFormat('en', { maximumFractionDigits: n }));
  return formats.get(n).format(value);
}
const number = (v) => v === null || v === undefined ? '–' : v === 'inf' ? 'infinite'
  : digits(v, Math.abs(v) < 1 ? 3 : Math.abs(v) < 10 ? 2 : Math.abs(v) < 100 ? 1 : 0);
const percent = (v) => v === null || v === undefined ? '–' : `${digits(v * 100, Math.abs(v) < 0.1 ? 1 : 0)} %`;
const millis = (v) => v === null || v === undefined ? '–' : v === 'inf' ? 'infinite'
  : v >= 10000 ? `${digits(v / 1000, 1)} s` : `${number(v)} ms`;
function clock(s) {
  const t = Math.max(0, Math.floor(s + 1e-6));
  const two = (n) => String(n).padStart(2, '0');
  return t >= 3600 ? `${Math.floor(t / 3600)}:${two(Math.floor(t / 60) % 60)}:${two(t % 60)}` : `${Math.floor(t / 60)}:${two(t % 60)}`;
}
const exactClock = (s) => clock(s) + (s % 1).toFixed(3).slice(1);
const counted = (n, one, many = `${one}s`) => `${digits(n, 0)} ${n === 1 ? one : many}`;
const isNumber = (v) => typeof v === 'number';

// ---------------------------------------------------------------- what is known of the run

const S = {
  id: null, run: null, points: [], recent: [], soon: [], settled: 0, lanesAt: 0,
  lanes: new Map(), held: null, leftOut: 0, executorUse: [],
  paused: false, pausedAt: 0, lost: false, heard: 0, gone: false,
  view: { span: 60, from: null, to: null }, gantt: { span: 10, end: null }, cursor: null, picked: null, pinned: false, group: 0,
};
let isStatic = false;
let dirty = { all: true };

const ended = (c) => c.done + c.dropped + c.failed;
const live = () => S.run !== null && S.run.state === 'live';
const now = () => Math.max(S.settled, S.lanesAt, live() ? 0 : S.run?.now_seconds ?? 0);

function countsOf(c, waiting) {
  const n = ended(c);
  const rank = (share, ms) => n === 0 ? null : Math.ceil(share * n - 1e-9) > c.done ? 'inf' : ms ?? null;
  return {
    requested: c.requested, done: c.done, dropped: c.dropped, failed: c.failed, violations: c.violations,
    waiting: c.waiting ?? waiting ?? null,
    p50: rank(0.5, c.p50E2eMs), p95: rank(0.95, c.p95E2eMs), p99: rank(0.99, c.p99E2eMs),
  };
}

/** A MetricsWindow of the topic as a point. */
function pointOf(w) {
  const classes = {};
  for (const [name, counts] of Object.entries(w.byClass)) classes[name] = countsOf(counts);
  const blocked = {};
  for (const [cause, ns] of Object.entries(w.blockedNs ?? {})) blocked[cause] = ns / 1e6;
  return {
    from: w.fromNs / 1e9, to: w.toNs / 1e9, waiting: w.waiting, running: w.running, lanes: w.lanes, use: w.laneUse,
    blocked, tokensInUse: w.tokensInUse ?? null, tokens: w.tokens ?? null,
    lateMax: w.sendLatenessMsMax ?? null, lateP99: w.sendLatenessMsP99 ?? null,
    batches: w.predictions?.batches ?? 0, beyond95: w.predictions?.beyondP95 ?? 0, beyond99: w.predictions?.beyondP99 ?? 0,
    error: w.predictions?.medianError ?? null, total: countsOf(w.total, w.waiting), classes,
  };
}

/** The columns of a snapshot as points. */
function pointsOf(columns) {
  const counts = (c, i) => ({
    requested: c.requested[i], done: c.done[i], dropped: c.dropped[i], failed: c.failed[i], violations: c.violations[i],
    waiting: c.waiting?.[i] ?? null, p50: c.p50_ms[i], p95: c.p95_ms[i], p99: c.p99_ms[i],
  });
  const at = (name, i) => columns[name]?.[i] ?? null;
  return columns.from_s.map((from, i) => {
    const classes = {};
    for (const [name, c] of Object.entries(columns.classes)) classes[name] = counts(c, i);
    const blocked = {};
    for (const [cause, ms] of Object.entries(columns.blocked_ms ?? {})) blocked[cause] = ms[i];
    return {
      from, to: from + columns.span_s[i], waiting: at('waiting', i), running: at('running', i), lanes: at('lanes', i),
      use: at('lane_use', i), blocked, tokensInUse: at('tokens_in_use', i), tokens: at('tokens', i),
      lateMax: at('lateness_max_ms', i), lateP99: at('lateness_p99_ms', i), batches: at('batches', i) ?? 0,
      beyond95: at('beyond_p95', i) ?? 0, beyond99: at('beyond_p99', i) ?? 0, error: at('prediction_error', i),
      total: counts(columns.total, i), classes,
    };
  });
}

function takeRun(run) {
  const before = S.run?.id === run.id ? S.run : null;
  S.run = run;
  if (before) {
    for (const threshold of run.thresholds) {
      const old = before.thresholds.find((t) => t.figure === threshold.figure && t.bound === threshold.bound);
      if (old && old.state !== threshold.state && ['missed', 'cannot_be_met'].includes(threshold.state)) {
        news(`Threshold ${threshold.state === 'missed' ? 'missed' : 'cannot be met any more'}: ${threshold.figure} ${threshold.bound}`);
      }
    }
    if (before.state === 'live' && run.state !== 'live') news(`The run ${run.id} has ${run.state === 'failed' ? 'failed' : 'ended'}.`);
  }
  dirty.run = true;
}

function takeSnapshot(snapshot) {
  const fresh = pointsOf(snapshot.points);
  const end = fresh.length ? fresh.at(-1).to : 0;
  const same = S.run?.id === snapshot.run.id && S.run.time_zero_epoch_ms === snapshot.run.time_zero_epoch_ms;
  const later = same ? S.points.filter((p) => p.from >= end - 1e-6) : [];
  if (!same || later.length === 0 || Math.abs(later[0].from - end) < 1e-6) S.points = fresh.concat(later);
  S.settled = S.points.length ? S.points.at(-1).to : 0;
  if (!same) {
    S.soon = [];
    S.lanes = new Map();
    S.recent = [];
  }
  takeRun(snapshot.run);
  const bars = snapshot.batches;
  if (bars && S.lanes.size === 0) {
    S.shares = bars.shares ?? null;
    for (const { executor, lane } of S.shares?.lanes ?? []) laneOf(executor, lane);
    bars.batches.forEach((b) => addBar(laneOf(b.executor, b.lane), b));
    const ends = bars.batches.map((b) => (b.finishedNs ?? b.startedNs) / 1e9);
    S.held = [bars.from_s ?? 0, bars.to_s ?? Math.max(0, ...ends)];
    S.leftOut = bars.left_out ?? 0;
  }
  if (!same) startView();
  dirty.all = true;
}

function startView() {
  const over = !live();
  S.view = { span: over ? null : 60, from: null, to: null };
  S.gantt = { span: 10, end: null };
  if (over && S.held && S.held[1] > S.held[0]) {
    S.gantt.span = Math.min(10, S.held[1] - S.held[0]);
    S.gantt.end = S.held[0] + S.gantt.span;
  }
  S.cursor = null;
  unpick();
}

/** Returns whether the second follows what is known, was known already, or must wait for others. */
function takeSecond(w) {
  const point = pointOf(w);
  if (point.to <= S.settled + 1e-6 && S.points.length) return 'known';
  if (point.from > S.settled + 1e-6 && !(S.points.length === 0 && point.from === 0)) return 'gap';
  S.points.push(point);
  S.recent.push(w);
  if (S.recent.length > 60) S.recent.shift();
  S.settled = point.to;
  S.soon = S.soon.filter((s) => s.t > S.settled - 2);
  dirty.points = true;
  return 'new';
}

function laneOf(executor, index) {
  const key = `${executor}/${index}`;
  let lane = S.lanes.get(key);
  if (!lane) {
    lane = { key, executor, index, model: null, busy: null, use: 0, bars: [], more: [] };
    S.lanes.set(key, lane);
    S.lanes = new Map([...S.lanes].sort(([, a], [, b]) =>
      a.executor.localeCompare(b.executor, 'en', { numeric: true }) || a.index - b.index));
  }
  return lane;
}

function addBar(lane, batch) {
  const bar = { ...batch, from: batch.startedNs / 1e9, to: batch.finishedNs === null || batch.finishedNs === undefined ? null : batch.finishedNs / 1e9, lane };
  const bars = lane.bars;
  for (let i = bars.length - 1, tries = 0; i >= 0 && tries < 200; i--, tries++) {
    if (bars[i].id === bar.id && bars[i].attempt === bar.attempt) {
      if (S.picked === bars[i]) S.picked = bar;
      bars.splice(i, 1);
      break;
    }
  }
  let at = bars.length;
  while (at > 0 && bars[at - 1].from > bar.from) at--;
  bars.splice(at, 0, bar);
}

function takeLanes(w) {
  const t = w.toNs / 1e9;
  S.lanesAt = t;
  let use = 0;
  let count = 0;
  const shares = {};
  const many = w.executors.reduce((sum, e) => sum + e.lanes.length, 0) > LANES_DRAWN;
  for (const executor of w.executors) {
    let mine = 0;
    for (const lane of executor.lanes) {
      mine += lane.busy;
      if (many) continue;
      const known = laneOf(executor.id, lane.index);
      known.model = lane.model;
      known.use = lane.busy;
      lane.batches.forEach((batch) => addBar(known, batch));
      if (lane.more > 0) known.more.push({ from: w.fromNs / 1e9, to: t, share: lane.more });
      while (known.bars.length && (known.bars[0].to ?? t) < t - BARS_KEPT_S) known.bars.shift();
      while (known.more.length && known.more[0].to < t - BARS_KEPT_S) known.more.shift();
    }
    use += mine;
    count += executor.lanes.length;
    shares[executor.id] = mine / Math.max(1, executor.lanes.length);
  }
  if (many) {
    S.executorUse.push({ from: w.fromNs / 1e9, to: t, shares, lanes: count });
    while (S.executorUse[0].to < t - BARS_KEPT_S) S.executorUse.shift();
  }
  S.held = [S.held && !many ? Math.max(S.held[0], t - BARS_KEPT_S) : t, t];
  S.soon.push({ t, requested: w.requested, waiting: w.waiting, running: w.running, use: count ? use / count : null });
  while (S.soon.length > 120) S.soon.shift();
  dirty.lanes = true;
}

/** Arrivals a second over the second that ends at a provisional point; null: not known yet. */
function soonRate(i) {
  const at = S.soon[i];
  let j = i;
  while (j > 0 && S.soon[j].t > at.t - 0.999) j--;
  const span = at.t - S.soon[j].t;
  return span < 0.7 ? null : Math.max(0, (at.requested - S.soon[j].requested) / span);
}

/** Share-th percentile in ms of a class over the last minute, from histograms that are added. */
function minuteRank(name, share) {
  const sums = new Map();
  let n = 0;
  for (const w of S.recent) {
    const c = w.byClass[name];
    if (!c) continue;
    n += ended(c);
    const e = c.endToEnd ?? [];
    for (let i = 0; i < e.length; i += 2) sums.set(e[i], (sums.get(e[i]) ?? 0) + e[i + 1]);
  }
  if (n === 0) return null;
  let left = Math.ceil(share * n - 1e-9);
  for (const bucket of [...sums.keys()].sort((a, b) => a - b)) {
    left -= sums.get(bucket);
    if (left <= 0) return 1e-3 * Math.pow(1.01, bucket - 0.5);
  }
  return 'inf';
}

// ---------------------------------------------------------------- the stream

/** One tab of the browser holds the stream, and hands on what it brings; each may take its place. */
class Feed {
  constructor(id) {
    this.id = id;
    this.path = `api/runs/${encodeURIComponent(id)}`;
    this.name = `sluice ${location.host} ${id}`;
    this.closing = new AbortController();
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = ({ data }) => this.take(data);
    this.filling = false;
    this.furthest = 0;
    this.timer = setInterval(() => this.watch(), 500);
    S.heard = performance.now();
    this.begin();
  }

  async begin() {
    if (!navigator.locks) { // an address that is not secure: each tab has its own stream
      this.lead();
      return;
    }
    const wait = (options) => navigator.locks.request(this.name, options, (lock) => lock ? this.lead() : false);
    try {
      if (await wait({ ifAvailable: true }) === false) {
        this.snapshot();
        await wait({ signal: this.closing.signal });
      }
    } catch (problem) {
      if (problem.name !== 'AbortError') throw problem;
      // Stolen by a tab that heard nothing from this one: it waits again.
      this.source?.close();
      if (!this.closing.signal.aborted) setTimeout(() => this.begin(), 1000);
    }
  }

  lead() {
    this.leads = true;
    this.open();
    return new Promise((resolve) => { this.yield = resolve; });
  }

  open() {
    this.source?.close();
    if (this.closing.signal.aborted || (S.run && !live() && S.run.id === this.id)) return;
    this.opened = performance.now();
    const source = new EventSource(`${this.path}/stream`);
    this.source = source;
    for (const kind of ['snapshot', 'second', 'lanes', 'run', 'ended']) {
      source.addEventListener(kind, ({ data }) => {
        if (this.source !== source) return;
        const message = { kind, data };
        this.channel.postMessage(message);
        this.take(message);
      });
    }
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED && this.source === source) {
        setTimeout(() => this.source === source && this.open(), 1000);
      }
    };
  }

  take({ kind, data, quietMs }) {
    if (this.closing.signal.aborted) return;
    this.told = performance.now();
    if (kind === 'beat') {
      S.heard = Math.max(S.heard, performance.now() - quietMs);
      return;
    }
    S.heard = performance.now();
    const value = JSON.parse(data);
    if (kind === 'snapshot') {
      takeSnapshot(value);
      this.minute();
    } else if (!S.run) return; // a snapshot is on its way
    else if (kind === 'second') {
      this.furthest = Math.max(this.furthest, value.toNs / 1e9);
      if (takeSecond(value) === 'gap') this.fill();
      else if (S.points.length > SECONDS_KEPT && S.points[S.points.length - SECONDS_KEPT].to - S.points[S.points.length - SECONDS_KEPT].from < 1.5) this.snapshot();
    } else if (kind === 'lanes') takeLanes(value);
    else takeRun(value);
    if (kind === 'ended') this.end();
    redraw();
  }

  /** Asks for what is missing between the last settled second and the stream. */
  async fill() {
    if (this.filling) return;
    this.filling = true;
    try {
      while (S.settled < this.furthest - 0.5 && !this.closing.signal.aborted) {
        const { seconds } = await this.get(`/seconds?from=${Math.round(S.settled)}`);
        if (!seconds.some((w) => takeSecond(w) === 'new')) break;
      }
    } catch { /* the next second asks again */ } finally {
      this.filling = false;
      redraw();
    }
  }

  async snapshot() {
    if (this.asking) return;
    this.asking = true;
    try {
      takeSnapshot(await this.get('/snapshot'));
      this.minute();
    } catch (problem) {
      if (problem.status === 404) message(`This server knows no run ${this.id}.`);
      else if (!S.run) setTimeout(() => this.snapshot(), 1000);
    } finally {
      this.asking = false;
    }
  }

  /** The last minute's records with their histograms, which a snapshot does not hold. */
  async minute() {
    if (!live() || S.settled === 0) return;
    const from = Math.max(0, Math.round(S.settled) - 60);
    try {
      const { seconds } = await this.get(`/seconds?from=${from}`);
      const last = seconds.length ? seconds.at(-1).toNs : 0;
      S.recent = seconds.concat(S.recent.filter((w) => w.fromNs >= last)).slice(-60);
      dirty.points = true;
      redraw();
    } catch { /* the stream brings them one by one */ }
  }

  async get(path) {
    const answer = await fetch(this.path + path, { signal: this.closing.signal });
    if (!answer.ok) throw Object.assign(new Error(`${answer.status}`), { status: answer.status });
    return answer.json();
  }

  watch() {
    const at = performance.now();
    const quiet = at - S.heard;
    if (this.leads && at - (this.beaten ?? 0) > 900) {
      this.beaten = at;
      this.channel.postMessage({ kind: 'beat', quietMs: quiet });
    }
    if (!S.run || live()) {
      if (this.leads && quiet > 5000 && at - this.opened > 5000) this.open(); // open, but dead: a sleep
      else if (!this.leads && !document.hidden && at - (this.told ?? S.heard) > 5000 && navigator.locks && !this.stolen) {
        this.stolen = true; // whoever holds the stream does not move
        this.closing.signal.aborted || navigator.locks.request(this.name, { steal: true }, () => this.lead()).catch(() => { this.leads = false; this.source?.close(); });
      }
    }
    const lost = live() && quiet > SILENCE_MS;
    if (lost !== S.lost) {
      S.lost = lost;
      news(lost ? 'The server is silent.' : 'The server is heard again.');
    }
    if (live() || S.paused) showState();
  }

  end() {
    this.source?.close();
    this.yield?.();
    clearInterval(this.timer);
  }

  close() {
    this.closing.abort();
    this.end();
    this.channel.close();
  }
}

// ---------------------------------------------------------------- drawing: when

let timer = null;
let frame = null;
let drawnAt = -Infinity;
let chartsAt = -Infinity;
const still = matchMedia('(prefers-reduced-motion: reduce)');

function redraw(all = false) {
  if (all) dirty.all = true;
  if (document.hidden || timer !== null || frame !== null || !S.run || (S.paused && !dirty.all)) return;
  const pause = still.matches && live() && !dirty.all ? CHART_MS : FRAME_MS;
  const wait = dirty.all ? 0 : Math.max(0, drawnAt + pause - performance.now());
  timer = setTimeout(() => {
    timer = null;
    frame = requestAnimationFrame(draw);
  }, wait);
}

function draw() {
  frame = null;
  if (document.hidden || !S.run) return;
  const at = performance.now();
  const what = dirty;
  dirty = {};
  drawnAt = at;
  if (what.all || what.run) showRun();
  showState();
  showTime();
  showTiles(what);
  drawGantt();
  if (what.all || at - chartsAt >= CHART_MS - 40) {
    chartsAt = at;
    for (const chart of charts) if (chart.visible) chart.draw();
    showLaneNumbers();
  }
  // For tests: the instants that this frame shows.
  document.documentElement.dataset.settled = S.settled;
  document.documentElement.dataset.lanes = S.lanesAt;
}

function news(text) {
  $('news').textContent = text;
}

// ---------------------------------------------------------------- colors

let palette = {};
function readPalette() {
  const probe = h('span', { hidden: true });
  document.body.append(probe);
  palette = { forced: matchMedia('(forced-colors: active)').matches };
  for (const name of ['c0', 'c1', 'c2', 'c3', 'ink', 'quiet', 'grid', 'panel', 'edge', 'line', 'ground']) {
    probe.style.color = `var(--${name})`;
    palette[name] = getComputedStyle(probe).color;
  }
  if (palette.forced) {
    for (const [name, color] of [['panel', 'Canvas'], ['ground', 'Canvas'], ['grid', 'GrayText'], ['line', 'GrayText']]) {
      probe.style.color = color;
      palette[name] = getComputedStyle(probe).color;
    }
    for (const name of ['c0', 'c1', 'c2', 'c3', 'ink', 'quiet', 'edge']) {
      probe.style.color = 'CanvasText';
      palette[name] = getComputedStyle(probe).color;
    }
  }
  probe.remove();
  palette.fills = [0, 1, 2, 3, 4].map((i) => fill(i));
}
const color = (i) => palette[`c${i % 5}`] ?? palette.ink;

/** The fill of a class: its color, with a pattern of its own. */
function fill(i) {
  if (i === 0) return color(0);
  const tile = h('canvas', { width: 8, height: 8 });
  const g = tile.getContext('2d');
  g.fillStyle = color(i);
  g.fillRect(0, 0, 8, 8);
  g.strokeStyle = g.fillStyle = palette.panel;
  g.globalAlpha = palette.forced ? 1 : 0.4;
  g.lineWidth = 1.6;
  g.beginPath();
  if (i === 1) for (const x of [-8, 0, 8]) { g.moveTo(x, 8); g.lineTo(x + 8, 0); }
  else if (i === 2) { g.moveTo(0, 4); g.lineTo(8, 4); }
  else if (i === 3) g.fillRect(2, 2, 2.4, 2.4);
  else { g.moveTo(4, 0); g.lineTo(4, 8); }
  g.stroke();
  return g.createPattern(tile, 'repeat');
}

function inkOn(rgb) {
  if (palette.forced) return palette.panel;
  const [r, g, b] = rgb.match(/[\d.]+/g).map((v) => (v / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.19 ? '#101418' : '#ffffff';
}

/** A canvas fitted to its element, in CSS pixels. */
function fitted(canvas) {
  const box = canvas.getBoundingClientRect();
  const scale = devicePixelRatio || 1;
  const width = Math.max(1, Math.round(box.width * scale));
  const height = Math.max(1, Math.round(box.height * scale));
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const g = canvas.getContext('2d');
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, box.width, box.height);
  return { g, width: box.width, height: box.height };
}

// ---------------------------------------------------------------- the first screen

const classNames = () => S.run.classes.map((c) => c.name);
const promiseOf = (name) => S.run.classes.find((c) => c.name === name)?.slo_ms ?? null;

function showState() {
  const state = $('state');
  let mark = '';
  let head;
  let rest;
  if (S.paused) {
    mark = 'off';
    head = 'Paused';
    rest = ` · what you see is ${counted(Math.round((performance.now() - S.pausedAt) / 1000), 'second')} old`;
  } else if (S.lost) {
    mark = 'off';
    head = `No word from the server for ${Math.round((performance.now() - S.heard) / 1000)} s`;
    rest = ' · this page looks for it';
  } else if (live()) {
    head = 'Live';
    rest = S.points.length ? ` · settled to ${clock(S.settled)}, what is provisional (○) reaches ${digits(Math.max(0, now() - S.settled), 0)} s further` : ' · before the first settled second';
  } else {
    mark = 'done';
    head = S.run.state === 'ended' ? 'Ended' : S.run.state === 'finished' ? 'Finished' : S.run.state === 'failed' ? 'Failed' : S.run.state;
    rest = S.run.report && !isStatic ? ` · ${S.run.report}` : '';
  }
  const text = head + rest;
  if (state.dataset.text !== text) {
    state.dataset.text = text;
    state.replaceChildren(h('i', { class: mark, 'aria-hidden': 'true' }), h('b', {}, head), rest);
  }
}

function showTime() {
  const planned = S.run.planned_seconds;
  const t = now();
  const left = planned - t;
  setText($('time-left'), !live() ? `${clock(t)} long`
    : planned > 0 ? left > 0 ? `${clock(Math.ceil(left))} left of ${clock(planned)}` : 'tail: the load is over' : clock(t));
  $('progress').value = planned > 0 ? Math.min(1, t / planned) : 0;
  $('progress').hidden = !live();
}

const STATES = { met: '✓ met', missed: '✕ missed', cannot_be_met: '✕ cannot be met', open: '○ open', undecided: '○ undecided' };

function showRun() {
  const run = S.run;
  document.title = `${run.id} · Sluice`;
  $('run').hidden = false;
  setText($('run-id'), run.id);
  $('words').replaceChildren(...run.words.map(({ word, why }) =>
    h('li', { class: word === 'not comparable' ? 'bad' : null }, h('b', {}, word), why)));
  if (run.summary?.failure) $('words').append(h('li', { class: 'bad' }, h('b', {}, 'failed'), String(run.summary.failure)));
  const weights = Object.entries(run.weights ?? {}).map(([name, value]) => `${name} ${number(value)}`).join(', ');
  const facts = [['Policy', run.policy], ['Weights', weights], ['Lanes', run.lanes], ['Executors', run.executors?.length > 1 ? run.executors.length : null]]
    .filter(([, value]) => value !== null && value !== undefined && value !== '');
  $('facts').replaceChildren(...facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, String(value)))));

  const SHOWN = 5;
  const order = ['missed', 'cannot_be_met', 'open', 'undecided', 'met'];
  const sorted = [...run.thresholds].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  const chips = sorted.map((t, i) => h('li', { class: t.state, hidden: i >= SHOWN },
    h('b', {}, STATES[t.state] ?? t.state), `${t.figure} ${t.bound}`,
    h('span', { class: 'quiet' }, t.value === null || t.value === undefined ? 'no value yet' : `now ${number(t.value)}`)));
  if (sorted.length > SHOWN) {
    const more = h('li', {}, h('button', { type: 'button', onclick: () => { chips.forEach((c) => { c.hidden = false; }); more.remove(); } }, `${sorted.length - SHOWN} more`));
    chips.push(more);
  }
  $('thresholds').replaceChildren(h('h2', {}, live() ? 'Thresholds so far' : 'Thresholds'),
    chips.length ? h('ul', {}, ...chips) : h('span', { class: 'quiet' }, 'none in this experiment'));
  $('pause').hidden = !live() && !S.paused;
  buildTiles();
  buildCharts();
  showFigures();
  showProvenance();
}

// Four numbers, with a minute of history while the run lasts, and its whole length after it.
let tiles = null;

function buildTiles() {
  const shown = mainClasses().slice(0, 3);
  const key = `${S.run.id} ${shown} ${S.run.summary !== null}`;
  if (tiles?.key === key) return;
  const tile = (id, title) => {
    const note = h('small');
    const list = h('ul');
    const canvas = h('canvas', { role: 'img' });
    $('tiles').append(h('div', { class: 'tile', id }, h('h2', {}, title, note), list, canvas));
    return { title, note, list, canvas, rows: new Map() };
  };
  $('tiles').replaceChildren();
  tiles = { key, shown, rates: tile('tile-rates', 'Jobs per second'), waiting: tile('tile-waiting', 'Waiting'), late: tile('tile-late', 'Late'), p99: tile('tile-p99', 'p99 end to end') };
}

/** Sets a row of a tile: its name, its value, and what is beside it. */
function row(tile, name, place, value, beside, options = {}) {
  let item = tile.rows.get(name);
  if (!item) {
    item = { b: h('b'), rest: h('span', { class: 'quiet' }) };
    item.li = h('li', {}, h('span', {}, place === null ? null : swatch(place), name), item.b, item.rest);
    tile.rows.set(name, item);
    tile.list.append(item.li);
  }
  item.b.className = options.hollow ? 'hollow' : options.bad ? 'warn' : '';
  if (options.figure) item.b.dataset.figure = options.figure;
  setText(item.b, value);
  setText(item.rest, beside);
}

const order = (name) => classNames().indexOf(name);
const placeOf = (name) => { const at = drawnClasses().indexOf(name); return at >= 0 ? at : Math.max(0, order(name)) % CLASSES_DRAWN; };

/** Classes with the tightest promise first. */
function mainClasses() {
  return [...S.run.classes].sort((a, b) => (a.slo_ms ?? Infinity) - (b.slo_ms ?? Infinity)).map((c) => c.name);
}

function showTiles() {
  const t = now();
  const from = live() ? Math.max(0, t - 60) : 0;
  const points = S.points.filter((p) => p.to > from);
  const last = S.points.at(-1);
  const summary = live() ? null : S.run.summary;
  const soon = live() ? S.soon.filter((s) => s.t > S.settled) : [];
  const line = (name, value, place, options) => ({ name, place, points: points.map((p) => [p.to, value(p)]), ...options });

  const rate = live() && S.soon.length > 1 ? soonRate(S.soon.length - 1) : null;
  if (summary) {
    row(tiles.rates, 'done', 1, number(summary.all_throughput_jobs_sec), 'per second', { figure: 'all_throughput_jobs_sec' });
    row(tiles.rates, 'in time', 0, number(summary.all_goodput_jobs_sec), 'goodput', { figure: 'all_goodput_jobs_sec' });
  } else {
    const inRate = rate ?? (last ? last.total.requested / (last.to - last.from) : null);
    row(tiles.rates, 'in', 0, number(inRate === null ? null : Math.round(inRate)), rate === null ? '' : 'provisional', { hollow: rate !== null });
    row(tiles.rates, 'out', 1, last ? number(Math.round(last.total.done / (last.to - last.from))) : '–', last ? `at ${clock(last.from)}` : '');
  }
  spark(tiles.rates, [line('in', (p) => p.total.requested / (p.to - p.from), 0, { soon: soon.map((s) => [s.t, soonRate(S.soon.indexOf(s))]) }),
    line('out', (p) => p.total.done / (p.to - p.from), 1)], from, t);

  const s = soon.at(-1);
  if (summary) {
    row(tiles.waiting, 'largest', null, number(summary.queue_max), 'jobs', { figure: 'queue_max' });
    row(tiles.waiting, 'mean', null, number(summary.queue_mean), '', { figure: 'queue_mean' });
  } else {
    row(tiles.waiting, 'waiting', 0, s ? number(s.waiting) : last ? number(last.waiting) : '–', s ? 'provisional' : '', { hollow: Boolean(s) });
    row(tiles.waiting, 'running', null, s ? number(s.running) : last ? number(last.running) : '–', s ? 'provisional' : '', { hollow: Boolean(s) });
  }
  spark(tiles.waiting, [line('waiting', (p) => p.waiting, 0, { soon: soon.map((x) => [x.t, x.waiting]) })], from, t);

  const minute = S.recent;
  for (const name of tiles.shown) {
    const place = placeOf(name);
    const promise = promiseOf(name);
    let late;
    let p99;
    let note = '';
    if (summary) {
      late = summary[`${name}_slo_violation_rate`] ?? null;
      p99 = summary[`${name}_p99_e2e_ms`] ?? (summary[`${name}_count`] > 0 ? 'inf' : null);
      note = summary[`${name}_p99_few_jobs`] ? ', few jobs' : '';
    } else {
      const all = minute.map((w) => w.byClass[name]).filter(Boolean);
      const n = all.reduce((sum, c) => sum + ended(c), 0);
      late = n ? all.reduce((sum, c) => sum + c.violations, 0) / n : null;
      p99 = minuteRank(name, 0.99);
    }
    let jobs = 0;
    let bad = 0;
    for (const p of S.points) {
      const c = p.classes[name];
      if (c) { jobs += ended(c); bad += c.violations; }
    }
    const broken = p99 === 'inf' || (p99 !== null && promise !== null && p99 > promise);
    row(tiles.late, name, place, percent(late), summary || !jobs ? '' : `${percent(bad / jobs)} so far`, { figure: `${name}_slo_violation_rate` });
    row(tiles.p99, name, place, millis(p99), promise === null ? '' : `${broken ? '▲ above' : 'of'} ${millis(promise)}${note}`, { bad: broken, figure: `${name}_p99_e2e_ms` });
  }
  const others = S.run.classes.length - tiles.shown.length;
  const measured = summary ? 'measured jobs' : 'last minute, all jobs';
  const rest = others > 0 ? `; ${others} more below` : '';
  setText(tiles.rates.note, summary ? measured : 'all jobs');
  setText(tiles.waiting.note, summary ? 'measured window' : 'jobs');
  setText(tiles.late.note, measured + rest);
  setText(tiles.p99.note, measured + rest);
  const c = (name) => (p) => p.classes[name];
  spark(tiles.late, tiles.shown.map((name) => line(name, (p) => { const x = c(name)(p); return x && ended(x) ? x.violations / ended(x) : null; }, placeOf(name))), from, t, { least: 0.05 });
  spark(tiles.p99, tiles.shown.map((name) => line(name, (p) => { const x = c(name)(p)?.p99; const o = promiseOf(name) ?? 1; return x === 'inf' ? 'inf' : isNumber(x) ? x / o : null; }, placeOf(name))), from, t, { rule: 1, least: 1.25, most: 3 });
}

/** A small picture of some lines; hollow: provisional. A rule is a level to compare with. */
function spark(tile, lines, from, to, { rule = null, least = 1, most = Infinity } = {}) {
  const { g, width, height } = fitted(tile.canvas);
  const values = lines.flatMap((l) => l.points.concat(l.soon ?? []).map(([, v]) => v).filter(isNumber));
  const top = Math.min(most, Math.max(least, ...values)) * 1.05;
  const x = (t) => (t - from) / Math.max(1, to - from) * (width - 8) + 2;
  const y = (v) => height - 3 - Math.min(v, top) / top * (height - 8);
  g.strokeStyle = palette.line;
  g.beginPath();
  g.moveTo(0, height - 1.5);
  g.lineTo(width, height - 1.5);
  g.stroke();
  if (rule !== null) {
    g.strokeStyle = palette.quiet;
    g.setLineDash([3, 3]);
    g.beginPath();
    g.moveTo(0, y(rule));
    g.lineTo(width, y(rule));
    g.stroke();
    g.setLineDash([]);
  }
  for (const l of lines) {
    g.strokeStyle = g.fillStyle = color(l.place);
    g.lineWidth = 1.8;
    g.setLineDash(DASHES[l.place % 5]);
    g.beginPath();
    let pen = false;
    for (const [t, v] of thinPairs(l.points, width)) {
      if (!isNumber(v)) {
        if (v === 'inf') g.fillRect(x(t) - 2, 0, 4, 4);
        pen = false;
      } else if (pen) g.lineTo(x(t), y(v));
      else { g.moveTo(x(t), y(v)); pen = true; }
    }
    g.stroke();
    g.setLineDash([]);
    g.lineWidth = 1.2;
    for (const [t, v] of l.soon ?? []) {
      if (!isNumber(v)) continue;
      g.beginPath();
      g.arc(x(t), y(v), 2, 0, 7);
      g.stroke();
    }
  }
  const words = lines.map((l) => {
    const known = l.points.map(([, v]) => v).filter(isNumber);
    return `${l.name} ${known.length ? `${number(Math.min(...known))} to ${number(Math.max(...known))}` : 'none'}`;
  }).join('; ');
  const label = `${tile.title} from ${clock(from)} to ${clock(to)}: ${words}${rule === null ? '' : ' times the promise, which is the dashed line'}`;
  if (!tile.canvas.hasAttribute('aria-label') || !live()) tile.canvas.setAttribute('aria-label', label);
  else if (dirty.all || Math.floor(to) % 5 === 0) tile.canvas.setAttribute('aria-label', label);
}

/** At most two values a pixel: the smallest and the largest of each pixel, and each gap. */
function thinPairs(pairs, width) {
  if (pairs.length <= width * 2) return pairs;
  const step = pairs.length / width;
  const kept = [];
  for (let i = 0; i < width; i++) {
    let low = -1;
    let high = -1;
    for (let j = Math.floor(i * step); j < Math.floor((i + 1) * step); j++) {
      if (!isNumber(pairs[j][1])) kept.push(pairs[j]);
      else {
        if (low < 0 || pairs[j][1] < pairs[low][1]) low = j;
        if (high < 0 || pairs[j][1] > pairs[high][1]) high = j;
      }
    }
    if (low >= 0) kept.push(...[...new Set([low, high])].sort((a, b) => a - b).map((j) => pairs[j]));
  }
  return kept.sort((a, b) => a[0] - b[0]);
}

// ---------------------------------------------------------------- the lanes as bars over time

const gantt = { canvas: null, rows: [], labelWidth: 0, from: 0, to: 1, rowHeight: 0, width: 0, top: 2 };

function ganttRange() {
  let end = S.gantt.end;
  if (end === null) end = still.matches && live() ? Math.floor(now()) : now();
  end = Math.max(end, S.gantt.span);
  return [end - S.gantt.span, end];
}

function ganttRows() {
  const byExecutor = new Map();
  if (S.executorUse.length) {
    for (const id of Object.keys(S.executorUse.at(-1).shares)) byExecutor.set(id, { name: id, executor: id, lanes: [] });
    return [...byExecutor.values()];
  }
  if (S.lanes.size <= LANES_DRAWN) {
    const several = new Set([...S.lanes.values()].map((l) => l.executor)).size > 1;
    return [...S.lanes.values()].map((l) => ({ name: several ? l.key : `lane ${l.index}`, lanes: [l], model: l.model }));
  }
  for (const l of S.lanes.values()) {
    if (!byExecutor.has(l.executor)) byExecutor.set(l.executor, { name: l.executor, executor: l.executor, lanes: [] });
    byExecutor.get(l.executor).lanes.push(l);
  }
  return [...byExecutor.values()];
}

function drawGantt() {
  const canvas = gantt.canvas;
  const { g, width, height } = fitted(canvas);
  const [from, to] = ganttRange();
  const rows = ganttRows();
  const axis = 16;
  const labelWidth = width < 500 ? 64 : 120;
  const rowHeight = Math.max(2, Math.min(30, (height - axis - 2) / Math.max(1, rows.length)));
  Object.assign(gantt, { rows, labelWidth, from, to, rowHeight, width });
  const x = (t) => labelWidth + (t - from) / (to - from) * (width - labelWidth);
  const t = now();
  const bottom = 2 + rows.length * rowHeight;
  g.font = '11px system-ui, sans-serif';
  g.textBaseline = 'middle';

  // The axis, and where what is settled ends.
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600].find((n) => (to - from) / n <= (width - labelWidth) / 70) ?? 7200;
  g.textAlign = 'center';
  for (let s = Math.ceil(from / step) * step; s <= to + 1e-9; s += step) {
    g.fillStyle = palette.grid;
    g.fillRect(Math.round(x(s)), 0, 1, bottom);
    g.fillStyle = palette.quiet;
    const text = step < 1 ? exactClock(s).slice(0, -2) : clock(s);
    if (x(s) < width - 12) g.fillText(text, x(s), height - axis / 2);
  }

  const classes = classNames();
  const every = Math.ceil(12 / rowHeight);
  g.save();
  g.beginPath();
  g.rect(labelWidth, 0, width - labelWidth, height);
  g.clip();
  rows.forEach((row, i) => {
    const y = 2 + i * rowHeight;
    const pad = rowHeight > 8 ? 1.5 : rowHeight > 4 ? 0.5 : 0;
    if (row.executor !== undefined) {
      drawShares(g, x, y + pad, rowHeight - 2 * pad, sharesOf(row.executor, null, from, to));
      return;
    }
    drawLane(g, row.lanes[0], { x, y: y + pad, height: rowHeight - 2 * pad, from, to, t, classes });
  });
  if (live() && S.settled > from && S.settled < to) {
    const edge = Math.round(x(S.settled)) + 0.5;
    g.strokeStyle = palette.ink;
    g.setLineDash([4, 3]);
    g.beginPath();
    g.moveTo(edge, 0);
    g.lineTo(edge, bottom);
    g.stroke();
    g.setLineDash([]);
  }
  if (S.cursor !== null && S.cursor >= from && S.cursor <= to) {
    g.fillStyle = palette.quiet;
    g.fillRect(Math.round(x(S.cursor)), 0, 1, bottom);
  }
  if (S.picked && S.picked.lane.key) {
    const i = rows.findIndex((r) => r.lanes[0] === S.picked.lane);
    if (i >= 0) {
      const a = x(S.picked.from);
      const b = Math.max(a + 3, x(S.picked.to ?? t));
      g.strokeStyle = palette.ink;
      g.lineWidth = 2;
      g.strokeRect(a - 1, 2 + i * rowHeight, b - a + 2, rowHeight);
    }
  }
  g.restore();
  g.textAlign = 'left';
  rows.forEach((row, i) => {
    if (i % every) return;
    const y = 2 + (i + 0.5) * rowHeight;
    g.fillStyle = palette.ink;
    g.fillText(shortened(g, row.name, labelWidth - 6), 0, y);
    if (row.model && labelWidth > 100 && every === 1) {
      const used = g.measureText(row.name).width + 6;
      g.fillStyle = palette.quiet;
      g.fillText(shortened(g, row.model.split('/')[0], labelWidth - used - 6), used, y);
    }
  });
  if (rows.length === 0) {
    g.fillStyle = palette.quiet;
    g.fillText('No lane has joined yet.', 4, 20);
  }
  showGanttWords(rows, t);
  askForBars(from, to);
  if (S.picked && !S.pinned) placeCard();
}

function shortened(g, text, width) {
  if (width <= 0) return '';
  if (g.measureText(text).width <= width) return text;
  let n = text.length;
  while (n > 1 && g.measureText(`${text.slice(0, n)}…`).width > width) n--;
  return n > 1 ? `${text.slice(0, n)}…` : '';
}

function drawLane(g, lane, { x, y, height, from, to, t, classes }) {
  const left = Math.floor(x(from));
  const covered = new Float32Array(Math.ceil(x(to)) - left + 2);
  const held = S.held ?? [0, 0];
  drawShares(g, x, y, height, sharesOf(lane.executor, lane.index, from, to).filter((p) => p.to <= held[0] || p.from >= held[1]));
  let first = 0;
  for (let a = 0, b = lane.bars.length; a < b;) {
    const m = (a + b) >> 1;
    if ((lane.bars[m].to ?? Infinity) < from) { a = m + 1; first = a; } else b = m;
  }
  g.lineWidth = 1.2;
  for (let i = first; i < lane.bars.length; i++) {
    const bar = lane.bars[i];
    if (bar.from > to) break;
    const a = x(bar.from);
    const b = x(bar.to ?? t);
    if (b - a < 2) {
      const at = Math.floor(a) - left;
      if (at >= 0 && at < covered.length) covered[at] += Math.max(0.05, b - a);
      continue;
    }
    const place = classes.indexOf(bar.classType);
    const hue = place < 0 ? 4 : place % 4;
    const solid = bar.to !== null && bar.to <= S.settled + 1e-6 || !live();
    if (solid) {
      g.fillStyle = palette.fills[hue];
      g.fillRect(a, y, b - a - 0.6, height);
    } else {
      g.strokeStyle = color(hue);
      g.globalAlpha = 0.16;
      g.fillStyle = color(hue);
      g.fillRect(a, y, b - a - 0.6, height);
      g.globalAlpha = 1;
      if (!bar.started) g.setLineDash([2, 2]);
      g.strokeRect(a + 0.6, y + 0.6, Math.max(0.5, b - a - 1.8), Math.max(0.5, height - 1.2));
      g.setLineDash([]);
    }
    if (b - a > 34 && height >= 12) {
      g.fillStyle = solid ? inkOn(color(hue)) : palette.ink;
      g.textAlign = 'left';
      const words = `${bar.workload} ×${bar.jobs}`;
      g.fillText(shortened(g, words, b - a - 8) , a + 4, y + height / 2 + 0.5);
    }
  }
  g.fillStyle = palette.quiet;
  for (let i = 0; i < covered.length; i++) {
    const share = Math.min(1, covered[i]);
    if (share > 0) g.fillRect(left + i, y + height * (1 - share), 1, height * share);
  }
  drawShares(g, x, y, height, lane.more.filter((m) => m.to > from && m.from < to));
}

function drawShares(g, x, y, height, parts) {
  g.fillStyle = palette.quiet;
  for (const { from, to, share } of parts) {
    const part = Math.min(1, share);
    g.fillRect(x(from), y + height * (1 - part), Math.max(1, x(to) - x(from)), height * part);
  }
}

function sharesOf(executor, index, from, to) {
  if (S.executorUse.length) {
    return S.executorUse.filter((w) => w.to > from && w.from < to).map((w) => ({ from: w.from, to: w.to, share: w.shares[executor] ?? 0 }));
  }
  const found = S.shares?.lanes.find((l) => l.executor === executor && l.lane === index);
  const span = S.shares?.span_s;
  return (found?.busy ?? []).map((share, i) => ({ from: i * span, to: (i + 1) * span, share })).filter((p) => p.share > 0 && p.to > from && p.from < to);
}

let ganttWordsAt = -Infinity;
function showGanttWords(rows, t) {
  if (performance.now() - ganttWordsAt < 900 && !S.paused && live()) return;
  ganttWordsAt = performance.now();
  const lanes = S.executorUse.length ? S.executorUse.at(-1).lanes : S.lanes.size;
  const busy = [...S.lanes.values()].filter((l) => l.use > 0).length;
  const folded = rows.length && rows[0].executor !== undefined;
  const parts = [];
  if (lanes === 0) parts.push('No lane has joined yet.');
  else if (folded) parts.push(`${counted(lanes, 'lane')} of ${counted(rows.length, 'executor')}, folded: a column's height is the share of busy lanes.`);
  else if (live()) parts.push(`${busy} of ${counted(lanes, 'lane')} busy at ${clock(t)}. Hollow bars are provisional.`);
  else parts.push(`${counted(lanes, 'lane')}, from ${clock(gantt.from)} to ${clock(gantt.to)}.`);
  if (S.leftOut > 0 && !live()) parts.push(`${counted(S.leftOut, 'batch', 'batches')} left out: zoom in.`);
  setText($('lanes-summary'), parts.join(' '));
  const canvas = gantt.canvas;
  canvas.setAttribute('aria-valuemax', String(Math.max(1, Math.ceil(t))));
  if (!S.picked) {
    canvas.setAttribute('aria-valuenow', String(Math.floor(Math.max(0, gantt.to))));
    canvas.setAttribute('aria-valuetext', `${parts[0]} Arrow keys go from batch to batch.`);
  }
}

/** Asks the server for bars that the page does not hold. */
let askedFor = '';
let asks = null;
function askForBars(from, to) {
  if (isStatic || !feed || (live() && S.gantt.end === null) || S.executorUse.length) return;
  const held = S.held ?? [0, 0];
  if (from >= held[0] - 1e-6 && to <= held[1] + 1e-6 && S.leftOut === 0) return;
  const span = to - from;
  const range = [Math.max(0, from - span / 2), to + span / 2];
  const key = range.map((v) => v.toFixed(1)).join();
  if (key === askedFor) return;
  askedFor = key;
  clearTimeout(asks);
  const asking = feed;
  asks = setTimeout(async () => {
    try {
      const answer = await asking.get(`/batches?from=${range[0].toFixed(3)}&to=${range[1].toFixed(3)}`);
      if (asking !== feed || (live() && S.gantt.end === null)) return;
      if (!live()) S.lanes.forEach((l) => { l.bars = []; });
      answer.batches.forEach((b) => addBar(laneOf(b.executor, b.lane), b));
      S.held = live() ? [Math.min(range[0], held[0]), held[1]] : range;
      S.leftOut = answer.left_out ?? 0;
      redraw(true);
    } catch { askedFor = ''; }
  }, 150);
}

function barAt(px, py) {
  const row = gantt.rows[Math.floor((py - gantt.top) / gantt.rowHeight)];
  if (!row || row.executor !== undefined || px < gantt.labelWidth) return null;
  const scale = (gantt.to - gantt.from) / (gantt.width - gantt.labelWidth);
  const at = gantt.from + (px - gantt.labelWidth) * scale;
  let best = null;
  let distance = 3 * scale;
  for (const bar of row.lanes[0].bars) {
    if (bar.from > at + distance) break;
    const end = bar.to ?? now();
    const far = at < bar.from ? bar.from - at : at > end ? at - end : 0;
    if (far < distance) { best = bar; distance = far; }
    if (far === 0) break;
  }
  return best;
}

function pick(bar, pinned) {
  S.picked = bar;
  S.pinned = pinned;
  const took = bar.to === null ? null : (bar.to - bar.from) * 1000;
  const actual = bar.serviceMs ?? took;
  const rows = [
    ['Jobs', `${counted(bar.jobs, 'job')} of ${bar.classType}, ${counted(bar.samples, 'sample')}`],
    ['Lane', `${bar.lane.key}, from ${exactClock(bar.from)}`],
    ['Predicted', bar.predictedMs === null || bar.predictedMs === undefined ? 'no prediction' : millis(bar.predictedMs) + (bar.p95Ms ? `, p95 ${millis(bar.p95Ms)}` : '')],
    ['Actual', bar.to === null ? 'running' : millis(actual) + (bar.predictedMs ? `, ${actual >= bar.predictedMs ? '+' : '−'}${percent(Math.abs(actual / bar.predictedMs - 1))}${bar.p95Ms && actual > bar.p95Ms ? ', beyond p95' : ''}` : '')],
    ['Result', `${bar.result ?? (bar.started ? 'none yet' : 'not started yet')}${bar.attempt > 1 ? `, attempt ${bar.attempt}` : ''}`],
    ...Object.entries(bar.scoreTerms ?? {}).map(([term, value]) => [`Score: ${term}`, number(value)]),
  ];
  const command = (S.run.commands?.explain ?? './sluice explain RUN JOB').replace('JOB', bar.firstJob ?? 'JOB');
  const place = classNames().indexOf(bar.classType);
  $('card').replaceChildren(
    h('h3', {}, swatch(Math.max(0, place) % 4), `${bar.workload} · ${bar.backend} · ${bar.precision}`),
    h('dl', {}, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
    commandLine(command, pinned));
  $('card').hidden = false;
  placeCard();
  gantt.canvas.setAttribute('aria-valuenow', String(Math.floor(bar.from)));
  gantt.canvas.setAttribute('aria-valuetext', `${bar.workload}, ${rows.slice(0, 5).map(([name, value]) => `${name.toLowerCase()} ${value}`).join('; ')}`);
}

function placeCard() {
  const card = $('card');
  const bar = S.picked;
  if (card.hidden || !bar || gantt.width < 520) {
    card.style.left = '0';
    card.style.top = '0';
    return;
  }
  const middle = gantt.labelWidth + ((bar.from + (bar.to ?? now())) / 2 - gantt.from) / (gantt.to - gantt.from) * (gantt.width - gantt.labelWidth);
  const row = gantt.rows.findIndex((r) => r.lanes[0] === bar.lane);
  const wide = card.offsetWidth;
  const left = middle > gantt.width / 2 ? middle - wide - 24 : middle + 24;
  const high = gantt.canvas.getBoundingClientRect().height - card.offsetHeight;
  card.style.left = `${Math.max(0, Math.min(gantt.width - wide, left))}px`;
  card.style.top = `${Math.max(0, Math.min(high, (row + 1) * gantt.rowHeight))}px`;
}

function unpick() {
  S.picked = null;
  S.pinned = false;
  $('card').hidden = true;
}

function commandLine(text, copy = true) {
  const code = h('code', {}, text);
  const button = copy && navigator.clipboard
    ? h('button', { type: 'button', onclick: async ({ currentTarget }) => {
      const was = currentTarget;
      await navigator.clipboard.writeText(text).catch(() => getSelection().selectAllChildren(code));
      was.textContent = 'Copied';
      setTimeout(() => { was.textContent = 'Copy'; }, 1500);
    }, 'aria-label': `Copy: ${text}` }, 'Copy') : null;
  return h('p', { class: 'command' }, code, button);
}

function zoomGantt(factor) {
  const [from, to] = ganttRange();
  const span = Math.max(0.05, Math.min(600, S.gantt.span * factor, Math.max(10, now())));
  if (S.gantt.end !== null) S.gantt.end = Math.max(span, (from + to) / 2 + span / 2);
  S.gantt.span = span;
  redraw(true);
}

function moveGantt(share) {
  const [, to] = ganttRange();
  const end = Math.max(S.gantt.span, to + share * S.gantt.span);
  S.gantt.end = end >= now() && live() ? null : Math.min(end, Math.max(S.gantt.span, now()));
  redraw(true);
}

/** Goes to another bar: along the lane, or to the bar of that time on another lane. */
function walk(along, across) {
  const rows = gantt.rows.filter((r) => r.executor === undefined && r.lanes[0].bars.length);
  if (!rows.length) return;
  let bar = S.picked;
  if (!bar) {
    const bars = rows[0].lanes[0].bars;
    bar = bars.findLast((b) => b.from <= gantt.to && (b.to ?? gantt.to) >= gantt.from) ?? bars.at(-1);
  } else if (along) {
    const bars = bar.lane.bars;
    bar = bars[Math.max(0, Math.min(bars.length - 1, bars.indexOf(bar) + along))] ?? bar;
  } else {
    const at = rows.findIndex((r) => r.lanes[0] === bar.lane);
    const bars = rows[Math.max(0, Math.min(rows.length - 1, at + across))].lanes[0].bars;
    bar = bars.reduce((best, b) => Math.abs(b.from - bar.from) < Math.abs(best.from - bar.from) ? b : best, bars[0]);
  }
  if (bar.from < gantt.from || bar.from > gantt.to) S.gantt.end = Math.max(S.gantt.span, bar.from + S.gantt.span / 2);
  else if (S.gantt.end === null) S.gantt.end = gantt.to; // what one reads stands still
  pick(bar, true);
  redraw(true);
}

function buildGantt() {
  const canvas = $('gantt').querySelector('canvas');
  gantt.canvas = canvas;
  for (const [name, value] of Object.entries({
    tabindex: '0', role: 'slider', 'aria-label': 'Lanes over time', 'aria-describedby': 'lanes-summary',
    'aria-valuemin': '0', 'aria-valuemax': '1', 'aria-valuenow': '0', 'aria-roledescription': 'bars of batches',
  })) canvas.setAttribute(name, value);
  let grip = null;
  const place = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  canvas.addEventListener('pointerdown', (event) => { grip = { x: event.clientX, end: ganttRange()[1], moved: false }; });
  canvas.addEventListener('pointermove', (event) => {
    const [px, py] = place(event);
    if (grip && event.buttons) {
      const shift = (grip.x - event.clientX) / (gantt.width - gantt.labelWidth) * S.gantt.span;
      if (Math.abs(grip.x - event.clientX) > 4) grip.moved = true;
      if (grip.moved) {
        S.gantt.end = Math.max(S.gantt.span, Math.min(grip.end + shift, Math.max(S.gantt.span, now())));
        redraw(true);
      }
      return;
    }
    if (px > gantt.labelWidth) share(gantt.from + (px - gantt.labelWidth) / (gantt.width - gantt.labelWidth) * (gantt.to - gantt.from), null);
    if (S.pinned) return;
    const bar = barAt(px, py);
    if (bar && bar !== S.picked) pick(bar, false);
    else if (!bar && S.picked) unpick();
    redraw(true);
  });
  canvas.addEventListener('pointerleave', (event) => {
    share(null, null);
    if (!S.pinned && !$('card').contains(event.relatedTarget)) unpick();
    redraw(true);
  });
  $('card').addEventListener('pointerleave', () => { if (!S.pinned) { unpick(); redraw(true); } });
  canvas.addEventListener('pointerup', (event) => {
    const moved = grip?.moved;
    grip = null;
    if (moved) return;
    const bar = barAt(...place(event));
    if (bar) {
      if (S.gantt.end === null) S.gantt.end = gantt.to;
      pick(bar, true);
    } else unpick();
    redraw(true);
  });
  canvas.addEventListener('focus', () => { if (canvas.matches(':focus-visible') && !S.picked && !S.pinned) walk(0, 0); });
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (steps && event.shiftKey && steps[0]) moveGantt(steps[0] / 4);
    else if (steps) walk(...steps);
    else if (event.key === '+' || event.key === '=') zoomGantt(0.5);
    else if (event.key === '-' || event.key === '−') zoomGantt(2);
    else if (event.key === 'End') { S.gantt.end = live() ? null : now(); unpick(); redraw(true); }
    else if (event.key === 'Home') { S.gantt.end = S.gantt.span; redraw(true); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const tool = (label, name, action) => h('button', { type: 'button', 'aria-label': name, onclick: action }, label);
  $('lanes-tools').append(
    h('span', { id: 'lanes-legend', class: 'tools' }),
    tool('←', 'Lanes: earlier', () => moveGantt(-0.5)), tool('→', 'Lanes: later', () => moveGantt(0.5)),
    tool('+', 'Lanes: zoom in', () => zoomGantt(0.5)), tool('−', 'Lanes: zoom out', () => zoomGantt(2)),
    h('button', { type: 'button', id: 'lanes-now', onclick: () => { S.gantt.end = live() ? null : now(); unpick(); redraw(true); } }, 'Now'));
  $('lanes-numbers').addEventListener('toggle', () => showLaneNumbers());
}

function showLegend() {
  const legend = drawnClasses().map((name) => {
    const key = h('canvas', { width: 22, height: 12, class: 'key', 'aria-hidden': 'true' });
    const g = key.getContext('2d');
    g.fillStyle = palette.fills[order(name) % 4];
    g.fillRect(0, 0, 22, 12);
    return h('span', { class: 'quiet' }, key, ` ${name}`);
  });
  $('lanes-legend').replaceChildren(...legend);
}

function showLaneNumbers() {
  const details = $('lanes-numbers');
  if (!details.open) return;
  const rows = gantt.rows.slice(0, 256).map((row) => {
    if (row.executor !== undefined) {
      const parts = sharesOf(row.executor, null, gantt.from, gantt.to);
      return [row.name, '', percent(parts.length ? parts.reduce((sum, p) => sum + p.share, 0) / parts.length : null), '', '', ''];
    }
    const lane = row.lanes[0];
    const seen = lane.bars.filter((b) => (b.to ?? now()) > gantt.from && b.from < gantt.to);
    const busy = seen.reduce((sum, b) => sum + Math.min(gantt.to, b.to ?? now()) - Math.max(gantt.from, b.from), 0) / (gantt.to - gantt.from);
    return [lane.key, lane.model ?? '', percent(Math.min(1, busy)), digits(seen.length, 0), digits(seen.reduce((n, b) => n + b.jobs, 0), 0), digits(seen.reduce((n, b) => n + b.samples, 0), 0)];
  });
  details.querySelector('.scroll').replaceChildren(table(`Lanes from ${exactClock(gantt.from)} to ${exactClock(gantt.to)}`, ['Lane', 'Model now', 'Busy', 'Batches', 'Jobs', 'Samples'], rows));
}

function table(caption, heads, rows) {
  return h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, heads.map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, rows.map((cells) => h('tr', {}, cells.map((cell, i) => i === 0 ? h('th', { scope: 'row' }, cell) : h('td', {}, cell))))));
}

// ---------------------------------------------------------------- charts over time

let charts = [];
let chartsKey = '';
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const chart = charts.find((c) => c.root === target);
    if (!chart) continue;
    chart.visible = isIntersecting;
    if (isIntersecting) chart.draw();
  }
}, { rootMargin: '200px' });
const sized = new ResizeObserver((entries) => {
  for (const { target } of entries) charts.find((c) => c.plot === target)?.resize();
});

function drawnClasses() {
  return mainClasses().slice(S.group * CLASSES_DRAWN, (S.group + 1) * CLASSES_DRAWN).sort((a, b) => order(a) - order(b));
}

function range() {
  if (S.view.from !== null) return [S.view.from, S.view.to];
  const end = Math.max(now(), 5);
  const from = S.view.span === null ? 0 : Math.max(0, end - S.view.span);
  return [from, Math.max(end, from + 5)];
}

function setView(view) {
  S.view = { span: null, from: null, to: null, ...view };
  if (S.view.from !== null) {
    const width = Math.max(1, S.view.to - S.view.from);
    S.view.from = Math.max(0, Math.min(S.view.from, now() - width));
    S.view.to = S.view.from + width;
    if (width <= 120) S.gantt = { span: width, end: S.view.to };
  }
  showViews();
  redraw(true);
}

function zoom(factor) {
  const [from, to] = range();
  const width = Math.max(2, Math.min((to - from) * factor, now()));
  if (width >= now() - 0.5) setView({ span: null });
  else if (S.view.from === null) setView({ span: width });
  else setView({ from: (from + to - width) / 2, to: (from + to + width) / 2 });
}

function move(share) {
  const [from, to] = range();
  const by = (to - from) * share;
  if (to + by >= now() && live()) setView({ span: to - from });
  else setView({ from: from + by, to: to + by });
}

function showViews() {
  for (const button of $('views').querySelectorAll('[data-span]')) {
    const span = button.dataset.span === 'all' ? null : Number(button.dataset.span);
    button.setAttribute('aria-pressed', String(S.view.from === null && S.view.span === span));
  }
}

/** Shares the cursor's time between the charts and the lanes. */
function share(t, source) {
  if (S.cursor === t) return;
  S.cursor = t;
  for (const chart of charts) if (chart !== source && chart.visible) chart.point(t);
  if (source !== null) redraw(true, 'cursor');
}

class Chart {
  constructor({ title, unit, lines, soon = [], level = [], log = false, format = number, say, note = '' }) {
    Object.assign(this, { title, unit, lines, soon, level, log, format, say });
    const id = `chart-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
    this.summary = h('p', { class: 'summary', id: `${id}-summary` });
    this.plot = h('div', { class: 'plot', tabindex: '0', role: 'slider', 'aria-label': `${title}: time cursor`, 'aria-describedby': `${id}-summary`,
      'aria-valuemin': '0', 'aria-valuemax': '1', 'aria-valuenow': '0', 'aria-valuetext': 'no point', onkeydown: (e) => this.key(e) });
    this.readout = h('div', { class: 'readout' });
    this.region = h('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': `Numbers: ${title}` });
    this.details = h('details', { ontoggle: () => this.tabulate() }, h('summary', {}, `Numbers: ${title}`), this.region);
    this.root = h('section', { class: 'chart', id, 'aria-label': title }, h('h3', {}, title), h('small', { class: 'quiet' }, `  ${unit}${note ? ` · ${note}` : ''}`), this.summary, this.plot, this.readout, this.details);
    this.values = this.lines.concat(this.soon.map((s) => ({ ...s, hollow: true }))).map((line) => {
      const b = h('b');
      this.readout.append(h('span', {}, swatch(line.place, line.dash ?? line.place), `${line.name}${line.hollow ? ' (provisional)' : ''} `, b));
      return b;
    });
    this.visible = false;
    this.index = null;
  }

  /** The points of the view, thinned for its width, and after them what is provisional. */
  data() {
    const [from, to] = range();
    let a = S.points.findIndex((p) => p.to >= from);
    if (a < 0) a = S.points.length;
    let b = S.points.findLastIndex((p) => p.from <= to) + 1;
    a = Math.max(0, a - 1);
    b = Math.min(S.points.length, b + 1);
    this.shown = S.points.slice(a, b);
    const pixels = Math.max(100, this.plot.clientWidth);
    let rows = this.shown.map((p) => [p.to, ...this.lines.map((l) => l.value(p) ?? null)]);
    if (rows.length > pixels * 2) rows = this.thin(rows, Math.floor(pixels / 2));
    const soon = live() && this.soon.length ? S.soon.map((s, i) => [s, i]).filter(([s, i]) => s.t > S.settled + 0.01 && i % 2 === 0) : [];
    const columns = [rows.map((r) => r[0]).concat(soon.map(([s]) => s.t))];
    this.infinite = this.lines.map(() => []);
    this.lines.forEach((_, k) => {
      columns.push(rows.map((r) => {
        const v = r[k + 1];
        if (v === 'inf') { this.infinite[k].push(r[0]); return null; }
        return v === null || (this.log && v <= 0) ? null : v;
      }).concat(soon.map(() => null)));
    });
    for (const s of this.soon) columns.push(rows.map(() => null).concat(soon.map(([x, i]) => s.value(x, i))));
    return columns;
  }

  /** Keeps the smallest and the largest value of each bucket of each line, each gap, each infinity. */
  thin(rows, buckets) {
    const kept = new Set();
    for (let n = 0; n < buckets; n++) {
      const a = Math.floor(n * rows.length / buckets);
      const b = Math.floor((n + 1) * rows.length / buckets);
      for (let k = 1; k < rows[0].length; k++) {
        let low = -1;
        let high = -1;
        let hole = -1;
        for (let i = a; i < b; i++) {
          const v = rows[i][k];
          if (!isNumber(v)) { if (hole < 0 || v === 'inf') hole = i; continue; }
          if (low < 0 || v < rows[low][k]) low = i;
          if (high < 0 || v > rows[high][k]) high = i;
        }
        for (const i of [low, high, hole]) if (i >= 0) kept.add(i);
      }
    }
    return [...kept].sort((a, b) => a - b).map((i) => rows[i]);
  }

  make() {
    const axis = { stroke: () => palette.quiet, grid: { stroke: () => palette.grid, width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif', gap: 4 };
    const alone = (u, k, show, gaps) => {
      const ys = u.data[k];
      const found = [];
      for (let i = 0; i < ys.length; i++) if (isNumber(ys[i]) && !isNumber(ys[i - 1]) && !isNumber(ys[i + 1])) found.push(i);
      return found;
    };
    const series = this.lines.map((l) => ({
      label: l.name, stroke: () => color(l.place), width: l.width ?? 2, dash: DASHES[(l.dash ?? l.place) % 5],
      points: { show: true, filter: alone, size: 4, fill: () => color(l.place) },
    })).concat(this.soon.map((l) => ({
      label: l.name, stroke: () => color(l.place), width: 1.4, paths: () => null, points: { show: true, size: 6, width: 1.4, fill: () => palette.panel, stroke: () => color(l.place) },
    })));
    const levels = () => this.level.map((l) => l.value()).filter(isNumber);
    const narrow = this.plot.clientWidth < 420;
    this.u = new uPlot({
      width: Math.max(200, this.plot.clientWidth), height: 220, legend: { show: false }, padding: [10, narrow ? 74 : 112, 0, 0],
      cursor: { y: false, points: { size: 7, fill: () => palette.panel, stroke: (u, k) => k ? color(this.lines.concat(this.soon)[k - 1].place) : '' }, drag: { x: true, y: false, setScale: false } },
      scales: {
        x: { time: false, auto: false, range: () => range() },
        y: {
          distr: this.log ? 3 : 1,
          range: (u, low, high) => {
            const all = [low, high, ...levels()].filter(isNumber);
            if (this.log) {
              const bottom = Math.max(1e-3, Math.min(...all, 1e9));
              const top = Math.max(...all, bottom * 10);
              return all.length ? [bottom / 1.6, top * 1.6] : [1, 1000];
            }
            const top = Math.max(0, ...all);
            const bottom = Math.min(0, ...all);
            return top === bottom ? [0, 1] : [bottom * 1.1, top * 1.1];
          },
        },
      },
      axes: [
        { ...axis, values: (u, splits) => splits.map(clock), incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400], space: 60, size: 26 },
        { ...axis, size: 52, space: 30, values: (u, splits) => splits.map((v) => v === null ? null : this.format(v).replace(' ms', '')),
          ...(this.log ? { filter: (u, splits) => splits.map((v) => /^[125]/.test(v.toPrecision(3).replace(/^0\.0*/, '')) ? v : null) } : {}) },
      ],
      series: [{}, ...series],
      hooks: {
        setCursor: [(u) => {
          if (u.cursor.event) share(u.cursor.left >= 0 ? u.posToVal(u.cursor.left, 'x') : null, this);
          this.read(u.cursor.idx ?? null);
        }],
        setSelect: [(u) => {
          if (u.select.width < 6) return;
          const from = u.posToVal(u.select.left, 'x');
          const to = u.posToVal(u.select.left + u.select.width, 'x');
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          setView({ from, to });
        }],
        draw: [(u) => this.decorate(u)],
      },
    }, this.data(), this.plot);
  }

  draw() {
    if (!S.run || S.points.length + S.soon.length === 0 && !this.u) {
      setText(this.summary, 'Nothing settled yet.');
      return;
    }
    if (!this.u) this.make();
    else {
      this.u.batch(() => {
        this.u.setData(this.data(), false);
        const [min, max] = range();
        this.u.setScale('x', { min, max });
      });
    }
    const [from, to] = range();
    setText(this.summary, this.sentence(from, to));
    this.plot.setAttribute('aria-valuemin', String(Math.floor(from)));
    this.plot.setAttribute('aria-valuemax', String(Math.ceil(to)));
    if (S.cursor === null) this.read(null);
    if (this.details.open && live()) this.tabulate();
  }

  sentence(from, to) {
    const points = this.shown.filter((p) => p.to > from && p.from < to);
    if (!points.length) return `Nothing settled from ${clock(from)} to ${clock(to)}.`;
    return `${clock(Math.max(from, points[0].from))} to ${clock(points.at(-1).to)}: ${this.say(points)}`;
  }

  /** Names at the ends of the lines, levels, infinite values, and the edge of what is settled. */
  decorate(u) {
    const g = u.ctx;
    const scale = devicePixelRatio || 1;
    const { left, top, width, height } = u.bbox;
    g.save();
    g.font = `${11 * scale}px system-ui, sans-serif`;
    g.textBaseline = 'middle';
    const labels = [];
    for (const l of this.level) {
      const v = l.value();
      if (!isNumber(v)) continue;
      const y = u.valToPos(v, 'y', true);
      if (y < top - 1 || y > top + height + 1) continue;
      g.strokeStyle = palette.ink;
      g.lineWidth = 1.2 * scale;
      g.setLineDash([1.5 * scale, 3 * scale]);
      g.beginPath();
      g.moveTo(left, y);
      g.lineTo(left + width, y);
      g.stroke();
      g.setLineDash([]);
      labels.push({ y, text: l.name, tint: palette.ink });
    }
    const [min, max] = [u.scales.x.min, u.scales.x.max];
    this.lines.forEach((l, k) => {
      for (let i = u.data[0].length - 1; i >= 0; i--) {
        const v = u.data[k + 1][i];
        if (isNumber(v) && u.data[0][i] >= min && u.data[0][i] <= max) {
          labels.push({ y: u.valToPos(v, 'y', true), text: l.short ?? l.name, tint: color(l.place) });
          break;
        }
      }
      g.fillStyle = color(l.place);
      for (const t of this.infinite[k]) {
        if (t < min || t > max) continue;
        const x = u.valToPos(t, 'x', true);
        g.beginPath();
        g.moveTo(x, top);
        g.lineTo(x - 5 * scale, top + 8 * scale);
        g.lineTo(x + 5 * scale, top + 8 * scale);
        g.fill();
      }
    });
    if (this.infinite.some((list) => list.some((t) => t >= min && t <= max))) {
      g.fillStyle = palette.ink;
      g.fillText('▲ infinite', left + 4 * scale, top + 4 * scale);
    }
    if (live() && S.settled > min && S.settled < max) {
      const x = Math.round(u.valToPos(S.settled, 'x', true)) + 0.5;
      g.strokeStyle = palette.edge;
      g.setLineDash([3 * scale, 3 * scale]);
      g.beginPath();
      g.moveTo(x, top);
      g.lineTo(x, top + height);
      g.stroke();
      g.setLineDash([]);
    }
    labels.sort((a, b) => a.y - b.y);
    const gap = 12.5 * scale;
    labels.forEach((l, i) => { l.at = Math.max(l.y, i ? labels[i - 1].at + gap : top); });
    const over = labels.length ? labels.at(-1).at - (top + height) : 0;
    if (over > 0) labels.forEach((l) => { l.at -= over; });
    const room = u.width * scale - left - width - 18 * scale;
    for (const l of labels) {
      g.strokeStyle = l.tint;
      g.lineWidth = 1.4 * scale;
      g.beginPath();
      g.moveTo(left + width + 1 * scale, l.y);
      g.lineTo(left + width + 11 * scale, l.at);
      g.stroke();
      g.fillStyle = palette.ink;
      g.fillText(shortened(g, l.text, room), left + width + 14 * scale, l.at);
    }
    g.restore();
  }

  /** Writes the values at an index, or of the last point without one. */
  read(index) {
    if (!this.u) return;
    const xs = this.u.data[0];
    this.index = index;
    this.values.forEach((b, k) => {
      const column = this.u.data[k + 1];
      let at = index;
      if (at === null) {
        at = xs.length - 1;
        while (at > 0 && !isNumber(column[at]) && !(this.infinite[k] ?? []).includes(xs[at])) at--;
        if (k < this.lines.length && at < xs.length - 1 && S.soon.length === 0) at = xs.length - 1;
      }
      const v = column?.[at];
      setText(b, isNumber(v) ? this.format(v) : this.infinite[k]?.includes(xs[at]) ? 'infinite' : '–');
    });
    if (index !== null) {
      this.plot.setAttribute('aria-valuenow', String(Math.round(xs[index])));
      this.plot.setAttribute('aria-valuetext', `at ${clock(xs[index])}: ${this.lines.map((l, k) => `${l.name} ${this.values[k].textContent}`).join(', ')}`);
    }
  }

  /** Shows the cursor at a time that another chart, or the lanes, have chosen. */
  point(t) {
    if (!this.u) return;
    const left = t === null ? -10 : this.u.valToPos(t, 'x');
    this.u.setCursor({ left, top: t === null ? -10 : 10 }, false);
    this.read(t === null || left < 0 ? null : this.u.valToIdx(t));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.u) return;
    const xs = this.u.data[0];
    const [from, to] = range();
    const first = xs.findIndex((t) => t >= from);
    const last = xs.findLastIndex((t) => t <= to);
    if (event.shiftKey && event.key.startsWith('Arrow')) return; // moves the view
    const at = this.index ?? (event.key === 'ArrowRight' ? first - 1 : last + 1);
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - 10, PageDown: at + 10, Home: first, End: last }[event.key];
    if (next === undefined || first < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const to2 = Math.max(first, Math.min(last, next));
    this.index = to2;
    S.cursor = xs[to2];
    for (const chart of charts) if (chart.visible) chart.point(xs[to2]);
    redraw(true);
  }

  tabulate() {
    if (!this.details.open || !this.u) return;
    const [from, to] = range();
    const points = this.shown.filter((p) => p.to > from && p.from < to).slice(-600);
    const key = `${points.length} ${points[0]?.from} ${points.at(-1)?.to}`;
    if (this.tabled === key) return;
    this.tabled = key;
    const cell = (v) => v === 'inf' ? 'infinite' : isNumber(v) ? digits(v, 3) : '';
    this.region.replaceChildren(table(`${this.title}, ${this.unit}; an empty cell: nothing to measure`, ['From', 'Seconds', ...this.lines.map((l) => l.name)],
      points.reverse().map((p) => [clock(p.from), digits(p.to - p.from, 0), ...this.lines.map((l) => cell(l.value(p)))])));
  }

  resize() {
    if (!this.u || !this.plot.clientWidth || Math.abs(this.u.width - this.plot.clientWidth) < 1) return;
    this.u.destroy();
    this.u = null;
    if (this.visible) this.draw();
  }

  close() {
    seen.unobserve(this.root);
    sized.unobserve(this.plot);
    this.u?.destroy();
    this.root.remove();
  }
}

const mean = (values) => { const known = values.filter(isNumber); return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null; };
const most = (values) => { const known = values.filter(isNumber); return known.length ? known.reduce((a, b) => Math.max(a, b)) : null; };
const sum = (values) => values.reduce((a, b) => a + (b ?? 0), 0);

function buildCharts() {
  const names = drawnClasses();
  const hasTokens = S.points.some((p) => p.tokens !== null);
  const key = `${S.run.id} ${names} ${hasTokens}`;
  if (key === chartsKey) return;
  chartsKey = key;
  charts.forEach((chart) => chart.close());
  const span = (p) => p.to - p.from;
  const list = [];
  list.push(new Chart({
    title: 'Rates', unit: 'jobs per second', soon: [{ name: 'in', place: 0, value: (s, i) => soonRate(i) }],
    lines: [{ name: 'in', place: 0, value: (p) => p.total.requested / span(p) }, { name: 'out', place: 1, value: (p) => p.total.done / span(p) },
      { name: 'dropped or failed', short: 'not done', place: 3, value: (p) => (p.total.dropped + p.total.failed) / span(p) }],
    say: (ps) => { const t = sum(ps.map(span)); return `${number(sum(ps.map((p) => p.total.requested)) / t)} jobs per second came in, ${number(sum(ps.map((p) => p.total.done)) / t)} were done, ${counted(sum(ps.map((p) => p.total.dropped + p.total.failed)), 'job')} were dropped or failed.`; },
  }));
  list.push(new Chart({
    title: 'Waiting', unit: 'jobs at the end of each second', soon: [{ name: 'all', place: 4, value: (s) => s.waiting }],
    lines: names.map((name, i) => ({ name, place: i, value: (p) => p.classes[name]?.waiting })),
    say: (ps) => `${number(ps.at(-1).waiting)} jobs wait at the end; the most were ${number(most(ps.map((p) => p.waiting)))}.`,
  }));
  names.forEach((name, i) => {
    const promise = promiseOf(name);
    const of = (p) => p.classes[name];
    list.push(new Chart({
      title: `Latency: ${name}`, unit: 'end to end, ms, by the time of the end', log: true, format: millis,
      lines: [{ name: 'p99', place: i, dash: 0, width: 2.2, value: (p) => of(p)?.p99 }, { name: 'p95', place: i, dash: 1, width: 1.6, value: (p) => of(p)?.p95 }, { name: 'p50', place: i, dash: 2, width: 1.6, value: (p) => of(p)?.p50 }],
      level: promise === null ? [] : [{ name: `promise ${millis(promise)}`, value: () => promise }],
      say: (ps) => {
        const known = ps.map((p) => of(p)?.p99).filter((v) => v !== null && v !== undefined);
        if (!known.length) return 'no job of this class ended.';
        const finite = known.filter(isNumber);
        const infinite = known.length - finite.length;
        const above = promise === null ? null : infinite + finite.filter((v) => v > promise).length;
        return (finite.length ? `p99 from ${millis(Math.min(...finite))} to ${millis(most(finite))}` : 'no finite p99')
          + (above === null ? '' : `, above the promise of ${millis(promise)} in ${above} of ${counted(known.length, 'point')}`)
          + (infinite ? `; infinite in ${infinite}, since jobs were not done.` : '.');
      },
    }));
  });
  const lateShare = (c) => c && ended(c) ? c.violations / ended(c) : null;
  list.push(new Chart({
    title: 'Violation rate', unit: 'share of ended jobs that missed their promise', format: percent,
    lines: names.map((name, i) => ({ name, place: i, value: (p) => lateShare(p.classes[name]) })),
    say: (ps) => `${names.map((name) => { const cs = ps.map((p) => p.classes[name]).filter(Boolean); const n = sum(cs.map(ended)); return `${name} ${n ? percent(sum(cs.map((c) => c.violations)) / n) : 'none ended'}`; }).join(', ')}.`,
  }));
  list.push(new Chart({
    title: 'Lane use', unit: 'busy share of all lanes', format: percent, soon: [{ name: 'use', place: 0, value: (s) => s.use }],
    lines: [{ name: 'use', place: 0, value: (p) => p.use }], level: [{ name: 'all lanes', value: () => 1 }],
    say: (ps) => `the lanes were busy for ${percent(mean(ps.map((p) => p.use)))} of the time, at most ${percent(most(ps.map((p) => p.use)))}.`,
  }));
  list.push(new Chart({
    title: 'Idle beside work', unit: 'ms per second in which a lane stood idle while jobs waited', note: 'by what held the work',
    lines: Object.entries(CAUSES).map(([cause, name], i) => ({ name, short: cause, place: i, value: (p) => (p.blocked[cause] ?? 0) / span(p) })),
    say: (ps) => { const all = Object.entries(CAUSES).map(([cause, name]) => [name, sum(ps.map((p) => p.blocked[cause])) / sum(ps.map(span))]).sort((a, b) => b[1] - a[1]); return all[0][1] > 0 ? `most for ${all[0][0]}, ${number(all[0][1])} ms per second.` : 'no lane stood idle beside work that waited.'; },
  }));
  if (hasTokens) {
    list.push(new Chart({
      title: 'Tokens in use', unit: 'memory tokens at the end of each second',
      lines: [{ name: 'in use', place: 0, value: (p) => p.tokensInUse }], level: [{ name: 'budget', value: () => S.points.findLast((p) => p.tokens !== null)?.tokens }],
      say: (ps) => `at most ${number(most(ps.map((p) => p.tokensInUse)))} of ${number(ps.findLast((p) => p.tokens !== null)?.tokens)} tokens.`,
    }));
  }
  list.push(new Chart({
    title: 'Predictions', unit: 'share of batches', note: 'median error: (actual − predicted) / predicted', format: percent,
    lines: [{ name: 'beyond p95', place: 0, value: (p) => p.batches ? p.beyond95 / p.batches : null }, { name: 'beyond p99', place: 1, value: (p) => p.batches ? p.beyond99 / p.batches : null }, { name: 'median error', place: 2, value: (p) => p.error }],
    level: [{ name: '5 %', value: () => 0.05 }, { name: '1 %', value: () => 0.01 }],
    say: (ps) => { const n = sum(ps.map((p) => p.batches)); return n ? `of ${counted(n, 'predicted batch', 'predicted batches')}, ${percent(sum(ps.map((p) => p.beyond95)) / n)} took longer than their p95 and ${percent(sum(ps.map((p) => p.beyond99)) / n)} than their p99.` : 'no batch had a prediction.'; },
  }));
  list.push(new Chart({
    title: 'Lateness of the generators', unit: 'send call − intended arrival, ms', format: millis,
    lines: [{ name: 'largest', place: 1, value: (p) => p.lateMax }, { name: 'p99', place: 0, value: (p) => p.lateP99 }],
    say: (ps) => { const m = most(ps.map((p) => p.lateMax)); return m === null ? 'nothing was sent.' : `at most ${millis(m)} late.`; },
  }));
  charts = list;
  $('grid').replaceChildren(...charts.map((chart) => chart.root));
  charts.forEach((chart) => { seen.observe(chart.root); sized.observe(chart.plot); });
  const groups = Math.ceil(S.run.classes.length / CLASSES_DRAWN);
  if (groups > 1) {
    const select = h('select', { id: 'group', onchange: () => { S.group = Number(select.value); redraw(true); showRun(); } },
      Array.from({ length: groups }, (_, i) => h('option', { value: i, selected: i === S.group }, `${mainClasses().slice(i * CLASSES_DRAWN, (i + 1) * CLASSES_DRAWN).join(', ')}`.slice(0, 60))));
    $('groups').replaceChildren(h('label', { for: 'group' }, 'Classes'), select);
  } else $('groups').replaceChildren();
  showLegend();
}

// ---------------------------------------------------------------- figures, provenance

const FIGURES = [['count', 'Jobs', 0], ['done', 'Done', 0], ['dropped', 'Dropped', 0], ['failed', 'Failed', 0], ['p50_e2e_ms', 'p50 ms', 3], ['p95_e2e_ms', 'p95 ms', 3], ['p99_e2e_ms', 'p99 ms', 3],
  ['slo_violations', 'Late', 0], ['slo_violation_rate', 'Late share', 4], ['throughput_jobs_sec', 'Done per s', 3], ['goodput_jobs_sec', 'In time per s', 3]];

function showFigures() {
  const summary = live() ? null : S.run.summary;
  const told = $('tables').childElementCount > 0; // a report's own tables
  $('figures').hidden = !summary || told;
  if (!summary || told) return;
  setText($('figures-summary'), `Arrivals from ${number(summary.warmup_seconds)} s to ${number(summary.duration_seconds)} s. A percentile is infinite where it falls on a job that was not done.${summary.verdict ? ` Verdict: ${summary.verdict}.` : ''}`);
  const rows = ['all', ...classNames()].map((name) => h('tr', {}, h('th', { scope: 'row' }, name), FIGURES.map(([figure, , n]) => {
    const id = `${name}_${figure}`;
    const value = summary[id];
    const infinite = (value === null || value === undefined) && /^p\d/.test(figure) && summary[`${name}_count`] > 0;
    return h('td', { 'data-figure': id, 'data-value': value ?? null }, infinite ? 'infinite' : isNumber(value) ? value.toFixed(n) : '–', figure === 'p99_e2e_ms' && summary[`${name}_p99_few_jobs`] ? ' (few jobs)' : null);
  })));
  $('figures-table').replaceChildren(h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Class'), FIGURES.map(([, title]) => h('th', { scope: 'col' }, title)))), h('tbody', {}, rows));
}

function showProvenance() {
  const run = S.run;
  const named = { explain: 'Explain a job', report: 'Write the report', simulate: 'Simulate it' };
  $('commands').replaceChildren(...Object.entries(run.commands ?? {}).filter(([, text]) => text).flatMap(([name, text]) => [h('dt', {}, named[name] ?? name), h('dd', {}, commandLine(text))]));
  $('digests').replaceChildren(...[
    ...(run.first_lines ?? []).map((line) => ['Note', line]),
    ['Digest of the experiment', run.digests?.config], ['Digest of the requests', run.digests?.requests],
    ['Versions', Object.entries(run.versions ?? {}).map(([name, version]) => `${name} ${version}`).join(', ')],
  ].filter(([, value]) => value).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
  setText($('config').querySelector('pre'), run.config ?? '');
  $('config').hidden = !run.config;
}

// ---------------------------------------------------------------- the list of runs

const list = { runs: [], key: 'started_epoch_ms', down: true, picked: [], timer: null, rows: 200 };
const COLUMNS = [['id', 'Run'], ['state', 'State'], ['policy', 'Policy'], ['rate_per_s', 'Jobs/s'], ['goodput_per_s', 'In time/s'], ['p99_ms', 'p99'], ['late', 'Late'], ['started_epoch_ms', 'Started'], ['seconds', 'Seconds']];

async function showList() {
  clearTimeout(list.timer);
  if (!document.hidden) {
    try {
      list.runs = (await (await fetch('api/runs')).json()).runs;
      message(null);
      drawList();
    } catch {
      message('No word from the server. This page looks for it.');
    }
  }
  if (!$('list').hidden) list.timer = setTimeout(showList, 2000);
}

function drawList() {
  const words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (r) => [r.id, r.state, r.policy, ...(r.words ?? []), ...(r.why ?? [])].join(' ').toLowerCase();
  const found = list.runs.filter((r) => words.every((word) => text(r).includes(word)));
  const rank = (v) => v === 'inf' ? Infinity : v ?? -Infinity;
  const sign = list.down ? -1 : 1;
  found.sort((a, b) => sign * (typeof (a[list.key] ?? b[list.key]) === 'string' && a[list.key] !== 'inf' && b[list.key] !== 'inf'
    ? String(a[list.key] ?? '').localeCompare(String(b[list.key] ?? ''), 'en', { numeric: true }) : rank(a[list.key]) === rank(b[list.key]) ? 0 : rank(a[list.key]) - rank(b[list.key])));
  const shown = found.slice(0, list.rows);
  setText($('list-count'), `${counted(found.length, 'run')}${found.length > shown.length ? `, the first ${shown.length} shown: type to find others` : ''}`);
  const element = $('runs');
  const at = document.activeElement?.closest?.('#runs') ? document.activeElement.id : null;
  const head = h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Pick'), '⇄'), COLUMNS.map(([key, title], i) =>
    h('th', { scope: 'col', class: i < 3 ? 'text' : null, 'aria-sort': list.key === key ? list.down ? 'descending' : 'ascending' : null },
      h('button', { type: 'button', id: `sort-${key}`, onclick: () => { list.down = list.key === key ? !list.down : key !== 'id'; list.key = key; drawList(); } },
        `${title}${list.key === key ? list.down ? ' ↓' : ' ↑' : ''}`)))));
  const rows = shown.map((r) => h('tr', {},
    h('td', {}, h('label', { class: 'pick' }, h('input', { type: 'checkbox', id: `pick ${r.id}`, 'aria-label': `Pick ${r.id} to compare`, onchange: ({ target }) => pickRun(r.id, target.checked) }))),
    h('td', { class: 'text' }, h('a', { href: `#${encodeURIComponent(r.id)}`, id: `run ${r.id}` }, r.id)),
    h('td', { class: 'text wrap' }, r.state, ...[...new Set(r.words ?? [])].map((w) => h('span', { class: w === 'not comparable' ? 'warn' : null }, ` · ${w}`)), r.why?.length ? h('div', { class: 'quiet' }, r.why.join('; ')) : null),
    h('td', { class: 'text' }, r.policy ?? '–'), h('td', {}, number(r.rate_per_s)), h('td', {}, number(r.goodput_per_s)), h('td', {}, millis(r.p99_ms)), h('td', {}, percent(r.late)),
    h('td', {}, r.started_epoch_ms ? new Date(r.started_epoch_ms).toISOString().slice(0, 16).replace('T', ' ') : '–'), h('td', {}, number(r.seconds))));
  element.replaceChildren(h('caption', {}, list.runs.length ? 'Times are UTC. Late: share of jobs that missed their promise.' : 'No run yet.'), head, h('tbody', {}, rows));
  for (const id of list.picked) { const box = document.getElementById(`pick ${id}`); if (box) box.checked = true; }
  if (at) document.getElementById(at)?.focus();
}

function pickRun(id, on) {
  list.picked = list.picked.filter((other) => other !== id);
  if (on) list.picked.push(id);
  list.picked = list.picked.slice(-2);
  const line = $('compare');
  line.hidden = list.picked.length < 2;
  if (!line.hidden) line.replaceChildren('To compare them: ', ...commandLine(`./sluice simulate ${list.picked.map((p) => `--like results/${p}`).join(' ')}`).childNodes);
  drawList();
}

// ---------------------------------------------------------------- which page, keys, theme

let feed = null;

function message(text) {
  $('message').hidden = text === null;
  setText($('message'), text ?? '');
}

async function route() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (['charts', 'main'].includes(wanted) && (feed || isStatic)) return;
  feed?.close();
  feed = null;
  clearTimeout(list.timer);
  Object.assign(S, { id: null, run: null, points: [], recent: [], soon: [], settled: 0, lanesAt: 0, lanes: new Map(), held: null, leftOut: 0, executorUse: [], paused: false, lost: false, group: 0 });
  askedFor = '';
  chartsKey = '';
  $('pause').setAttribute('aria-pressed', 'false');
  $('run').hidden = true;
  $('list').hidden = true;
  message(null);
  let id = wanted;
  if (!id || id === 'runs') {
    try {
      const { runs } = await (await fetch('api/runs')).json();
      const under = runs.filter((r) => r.state === 'live');
      if (!id) id = runs.length === 1 ? runs[0].id : under.length === 1 && runs.length <= 1 ? under[0].id : 'runs';
    } catch {
      message('No word from the server. This page looks for it.');
      setTimeout(() => { if (!feed && $('list').hidden) route(); }, 1000);
      return;
    }
  }
  if (id === 'runs') {
    document.title = 'Runs · Sluice';
    setText($('state'), '');
    delete $('state').dataset.text;
    $('list').hidden = false;
    showList();
    return;
  }
  S.id = id;
  feed = new Feed(id);
}

function pause() {
  if (!S.run || (!live() && !S.paused)) return;
  S.paused = !S.paused;
  S.pausedAt = performance.now();
  $('pause').setAttribute('aria-pressed', String(S.paused));
  setText($('pause'), S.paused ? 'Go on' : 'Pause');
  news(S.paused ? 'Paused.' : 'Going on.');
  showState();
  redraw(true);
}

const THEMES = ['system', 'light', 'dark'];
const stored = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
const store = (key, value) => { try { localStorage.setItem(key, value); } catch { /* not from file:// everywhere */ } };

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  setText($('theme'), `Theme: ${theme}`);
  store('sluice-theme', theme);
  repaint();
}

function repaint() {
  readPalette();
  if (S.run) {
    showLegend();
    redraw(true);
  }
}

const KEYS = [['p', 'pause and go on'], ['r', 'the runs'], ['1', 'the last minute'], ['2', 'the last 10 minutes'], ['3', 'all of the run'], ['+ −', 'zoom in and out'],
  ['← →', 'move; in a chart: its cursor, with Shift: move; in the lanes: from batch to batch'], ['↑ ↓', 'in the lanes: to another lane'], ['Home End', 'first and last point; in the lanes End follows the run'], ['Esc', 'close what is open'], ['?', 'these keys']];

function onKey(event) {
  if (event.key === 'Escape' && !$('card').hidden) {
    unpick();
    redraw(true);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open || event.target.matches?.('input, select, textarea') || stored('sluice-keys') === 'off') return;
  const arrow = event.key === 'ArrowLeft' ? -0.25 : event.key === 'ArrowRight' ? 0.25 : 0;
  if (event.key === 'r') openRuns();
  else if (event.key === '?') showKeys();
  else if (!S.run) return;
  else if (event.key === 'p') pause();
  else if (event.key === '1') setView({ span: 60 });
  else if (event.key === '2') setView({ span: 600 });
  else if (event.key === '3') setView({ span: null });
  else if (event.key === '+' || event.key === '=') zoom(0.5);
  else if (event.key === '-' || event.key === '−') zoom(2);
  else if (arrow && !event.target.closest?.('.scroll, pre')) move(arrow);
  else return;
  event.preventDefault();
}

function openRuns() {
  if (isStatic) return;
  if (location.hash === '#runs') route();
  else location.hash = 'runs';
}

function showKeys() {
  const box = h('input', { type: 'checkbox', id: 'keys-on', onchange: ({ target }) => store('sluice-keys', target.checked ? 'on' : 'off') });
  box.checked = stored('sluice-keys') !== 'off';
  $('keys-list').replaceChildren(...KEYS.flatMap(([key, means]) => [h('dt', {}, ...key.split(' ').flatMap((k, i) => [i ? ' ' : null, h('kbd', {}, k)])), h('dd', {}, means)]),
    h('dt', {}, h('label', { class: 'pick', for: 'keys-on' }, box)), h('dd', {}, 'single keys are on'));
  $('keys').showModal();
}

function begin() {
  const snapshot = $('snapshot');
  isStatic = snapshot !== null;
  setTheme(stored('sluice-theme') ?? 'system');
  buildGantt();
  const view = (span, label, key) => h('button', { type: 'button', 'data-span': span, 'aria-pressed': 'false', 'aria-keyshortcuts': key, onclick: () => setView({ span: span === 'all' ? null : span }) }, label);
  const tool = (label, name, action) => h('button', { type: 'button', 'aria-label': name, onclick: action }, label);
  $('views').append(view(60, '1 min', '1'), view(600, '10 min', '2'), view('all', 'All', '3'), tool('←', 'Earlier', () => move(-0.25)), tool('→', 'Later', () => move(0.25)), tool('+', 'Zoom in', () => zoom(0.5)), tool('−', 'Zoom out', () => zoom(2)));
  $('runs-button').addEventListener('click', openRuns);
  $('pause').addEventListener('click', pause);
  $('keys-button').addEventListener('click', showKeys);
  $('theme').addEventListener('click', () => setTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % 3]));
  $('skip').addEventListener('click', (event) => { event.preventDefault(); $('charts').focus(); $('charts').scrollIntoView(); });
  $('filter').addEventListener('input', drawList);
  document.addEventListener('keydown', onKey);
  document.addEventListener('visibilitychange', () => { if (!document.hidden) redraw(true); });
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-reduced-motion: reduce)']) matchMedia(query).addEventListener('change', repaint);
  new ResizeObserver(() => redraw(true)).observe($('gantt'));
  if (isStatic) {
    $('runs-button').hidden = true;
    const value = JSON.parse(snapshot.textContent);
    takeSnapshot(value);
    showViews();
    redraw(true);
    return;
  }
  addEventListener('hashchange', route);
  addEventListener('pagehide', () => feed?.source?.close());
  addEventListener('pageshow', ({ persisted }) => { if (persisted) route(); });
  route();
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
else begin();
})();
