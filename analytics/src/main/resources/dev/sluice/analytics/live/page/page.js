// The page of a run, from a server or from the element #snapshot.
(() => {
'use strict';

const FRAME_MS = 250;
const CHART_MS = 1000;
const SILENCE_MS = 3000;
const SECONDS_KEPT = 1200;
const BARS_KEPT_S = 90;
const LANES_DRAWN = 128;
const GROUP = 4;
const STEPS = [0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14400, 86400];
const DASHES = [[], [9, 4], [2, 3], [9, 3, 2, 3], [5, 2]];
const LOOKING = 'The server is silent; this page looks for it.';
const CAUSES = ['tokens', 'window', 'capability', 'policy'];

const $ = (id) => document.getElementById(id);
const isNumber = Number.isFinite;
const inOrder = new Intl.Collator('en', { numeric: true }).compare;
const sum = (values) => values.reduce((a, b) => a + (b ?? 0), 0);
const clamp = (v, low, high) => Math.max(low, Math.min(high, v));

function h(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
		else if (value !== null && value !== false) element.setAttribute(name, value);
	}
	element.append(...children.flat().filter((child) => child !== null));
	return element;
}

const set = (element, text) => { if (element.textContent !== text) element.textContent = text; };
const pairs = (list) => list.filter(([, v]) => v !== null && v !== undefined && v !== '').flatMap(([k, v]) => [h('dt', null, k), h('dd', null, v)]);
const table = (caption, heads, rows) => h('table', null, h('caption', null, caption),
	h('thead', null, h('tr', null, heads.map((head) => h('th', { scope: 'col' }, head)))),
	h('tbody', null, rows.map(([first, ...cells]) => h('tr', null, h('th', { scope: 'row' }, first), cells.map((cell) => cell.tagName ? cell : h('td', null, cell))))));

const swatch = (place, dash = place) => h('i', { class: `swatch c${place} d${dash}` });

const digits = (v, n) => v.toLocaleString('en', { maximumFractionDigits: n });
const text = (f) => (v) => v === 'inf' ? 'infinite' : isNumber(v) ? f(v) : '–';
const number = text((v) => digits(v, Math.abs(v) < 1 ? 3 : Math.abs(v) < 10 ? 2 : Math.abs(v) < 100 ? 1 : 0));
const percent = text((v) => `${digits(v * 100, Math.abs(v) < 0.1 ? 1 : 0)} %`);
const millis = text((v) => v >= 1e4 ? `${digits(v / 1000, 1)} s` : `${number(v)} ms`);
const count = (n, one, more = 's') => `${digits(n, 0)} ${one}${n === 1 ? '' : more}`;
function clock(s) {
	const t = Math.max(0, Math.floor(s + 1e-6));
	const two = (n) => String(n % 60).padStart(2, '0');
	return `${t < 3600 ? Math.floor(t / 60) : `${Math.floor(t / 3600)}:${two(Math.floor(t / 60))}`}:${two(t)}`;
}

// state

const NOTHING = {
	run: null, points: [], recent: [], told: 0, settled: 0, lanes: new Map(), held: [0, 0], leftOut: 0,
	paused: false, lost: false, cursor: null, picked: null, pinned: false, group: 0,
};
const S = {};
let isStatic = false;
let feed = null;
let dirty = true;

const live = () => S.run?.state === 'live';
const now = () => Math.max(S.settled, S.told, live() ? 0 : S.run?.now_seconds ?? 0);
const charted = () => live() ? S.settled : now();
const ended = (c) => c.done + c.dropped + c.failed;
const classes = () => S.run.classes.map((c) => c.name);
const promise = (name) => S.run.classes.find((c) => c.name === name)?.slo_ms ?? null;

function shownClasses() {
	const tight = [...S.run.classes].sort((a, b) => (a.slo_ms ?? Infinity) - (b.slo_ms ?? Infinity)).slice(S.group * GROUP, (S.group + 1) * GROUP);
	return S.run.classes.filter((c) => tight.includes(c)).map((c) => c.name);
}

const slice = (columns, i) => Array.isArray(columns) ? columns[i]
	: Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column && slice(column, i)]));

function pointOf(w) {
	const counts = (c) => {
		const n = ended(c);
		const rank = (share, ms) => n === 0 ? null : Math.ceil(share * n - 1e-9) > c.done ? 'inf' : ms;
		return { ...c, p50_ms: rank(0.5, c.p50E2eMs), p95_ms: rank(0.95, c.p95E2eMs), p99_ms: rank(0.99, c.p99E2eMs), endToEnd: null };
	};
	const map = (object, f) => Object.fromEntries(Object.entries(object ?? {}).map(([k, v]) => [k, f(v)]));
	const p = w.predictions ?? {};
	return {
		from: w.fromNs / 1e9, to: w.toNs / 1e9, waiting: w.waiting, lane_use: w.laneUse, blocked_ms: map(w.blockedNs, (ns) => ns / 1e6),
		tokens_in_use: w.tokensInUse, tokens: w.tokens, lateness_max_ms: w.sendLatenessMsMax, lateness_p99_ms: w.sendLatenessMsP99,
		batches: p.batches, beyond_p95: p.beyondP95, beyond_p99: p.beyondP99, prediction_error: p.medianError, total: counts(w.total), classes: map(w.byClass, counts),
	};
}

function takeRun(run) {
	const before = S.run;
	S.run = run;
	dirty = true;
	if (before?.id !== run.id) return;
	for (const { figure, bound, state } of run.thresholds) {
		const was = before.thresholds.find((t) => t.figure === figure && t.bound === bound);
		if (was && was.state !== state && /missed|cannot/.test(state)) news(`Threshold ${state.replaceAll('_', ' ')}: ${figure} ${bound}`);
	}
	if (before.state === 'live' && run.state !== 'live') news(`The run ${run.id} has ${run.state === 'failed' ? 'failed' : 'ended'}.`);
}

function takeSnapshot({ run, points, batches }) {
	const fresh = points.from_s.map((from, i) => ({ ...slice(points, i), from, to: from + points.span_s[i] }));
	const end = fresh.at(-1)?.to ?? 0;
	const same = S.run?.time_zero_epoch_ms === run.time_zero_epoch_ms;
	const later = same ? S.points.filter((p) => p.from > end - 1e-6) : [];
	if (!same) Object.assign(S, structuredClone(NOTHING));
	const rest = fresh.filter((p) => p.from > S.settled - 1e-6);
	if (same && run.state !== 'live' && !(rest[0]?.from > S.settled + 1e-6)) S.points.push(...rest); // settled
	else if (!later.length || later[0].from < end + 1e-6) S.points = fresh.concat(later);
	S.settled = S.points.at(-1)?.to ?? 0;
	takeRun(run);
	if (batches && !S.lanes.size) takeBars(batches);
	if (same) return;
	S.view = { span: live() ? 60 : null, end: null };
	S.gantt = { span: 10, end: null, lanes: true };
	if (!live() && S.held[1] > S.held[0]) {
		const span = Math.min(10, S.held[1] - S.held[0]);
		Object.assign(S.gantt, { span, end: S.held[0] + span });
	}
	unpick();
}

function takeBars({ batches, from_s, to_s, left_out, shares }) {
	for (const { executor, lane, busy } of shares?.lanes ?? []) {
		const { span_s, from_s = 0, to_s } = shares;
		laneOf(executor, lane).shares = busy.map((share, i) => ({ from: from_s + i * span_s, to: Math.min(from_s + (i + 1) * span_s, to_s ?? Infinity), share, coarse: !to_s }));
	}
	batches.forEach((b) => addBar(laneOf(b.executor, b.lane), b));
	S.held = [from_s ?? 0, to_s ?? now()];
	S.leftOut = left_out ?? 0;
}

// False: seconds are missing before this one; null: it was known.
function takeSecond(w) {
	const point = pointOf(w);
	if (point.to < S.settled + 1e-6) return null;
	if (point.from > S.settled + 1e-6) return false;
	S.points.push(point);
	S.recent = S.recent.concat(w).slice(-60);
	S.settled = point.to;
	return true;
}

function laneOf(executor, index) {
	const key = index === null ? executor : `${executor}/${index}`;
	if (!S.lanes.has(key)) S.lanes.set(key, { key, executor, index, underWay: 0, bars: [], known: new Map(), shares: [] });
	return S.lanes.get(key);
}

function addBar(lane, batch) {
	const key = `${batch.id}/${batch.attempt}`;
	const bar = { ...batch, key, lane, from: batch.startedNs / 1e9, to: batch.finishedNs / 1e9 };
	const { bars, known } = lane;
	const old = known.get(key);
	known.set(key, bar);
	if (S.picked === old) S.picked = bar;
	if (old) bars.splice(bars.lastIndexOf(old), 1);
	bars.splice(bars.findLastIndex((b) => b.from <= bar.from) + 1, 0, bar);
}

function takeEnded(w) {
	const t = S.told = Math.max(S.told, w.toNs / 1e9);
	const folded = sum(w.executors.map((e) => e.lanes.length)) > LANES_DRAWN;
	const keep = (parts) => parts.filter((p) => p.to > t - BARS_KEPT_S);
	for (const lane of S.lanes.values()) lane.underWay = 0;
	for (const { id, lanes } of w.executors) {
		if (folded) laneOf(id, null).underWay = sum(lanes.map((l) => l.underWay));
		for (const { index, underWay, batches, more } of lanes) {
			const rest = more ? [{ from: more.fromNs / 1e9, to: more.toNs / 1e9, share: more.busy }] : [];
			if (folded) {
				const bars = batches.map((b) => ({ from: b.startedNs / 1e9, to: b.finishedNs / 1e9, share: 1 }));
				bars.concat(rest).forEach((part) => addShare(laneOf(id, null), part, lanes.length));
			} else {
				const lane = laneOf(id, index);
				lane.underWay = underWay;
				lane.shares.push(...rest);
				batches.forEach((b) => addBar(lane, b));
			}
		}
	}
	for (const lane of S.lanes.values()) {
		if ((lane.bars[0] ?? lane.shares[0])?.from >= t - BARS_KEPT_S - 5) continue;
		const bars = keep(lane.bars);
		Object.assign(lane, { bars, known: new Map(bars.map((b) => [b.key, b])), shares: keep(lane.shares) });
	}
	S.held = [Math.max(S.held[1] ? S.held[0] : t, t - BARS_KEPT_S), t];
}

// Adds a busy part of one of so many lanes to the seconds of their row.
function addShare(row, { from, to, share }, lanes) {
	for (let s = Math.floor(Math.max(from, S.told - BARS_KEPT_S)); s < to; s++) {
		let second = row.shares.findLast((p) => p.from === s);
		if (!second) row.shares.push(second = { from: s, share: 0 });
		second.to = s + 1;
		second.share += share * (Math.min(to, s + 1) - Math.max(from, s)) / lanes;
	}
}

function minuteP99(all) {
	const sums = [];
	for (const { endToEnd: e } of all) for (let i = 0; i < (e?.length ?? 0); i += 2) sums[e[i]] = (sums[e[i]] ?? 0) + e[i + 1];
	let left = Math.ceil(0.99 * sum(all.map(ended)) - 1e-9);
	if (left === 0) return null;
	const bucket = sums.findIndex((n) => n && (left -= n) <= 0);
	return bucket < 0 ? 'inf' : 1e-3 * 1.01 ** (bucket - 0.5);
}

// stream

// One tab holds the stream, and hands it on; each may take its place.
class Feed {
	constructor(id) {
		this.id = id;
		this.name = `sluice ${location.host} ${id}`;
		this.closing = new AbortController();
		this.signal = this.closing.signal;
		this.channel = new BroadcastChannel(this.name);
		this.channel.onmessage = ({ data }) => this.take(data);
		this.furthest = 0;
		this.heard = performance.now();
		this.timer = setInterval(() => this.watch(), 500);
		this.begin();
	}

	async begin() {
		if (!navigator.locks) return this.lead();
		const held = (options) => navigator.locks.request(this.name, options, (lock) => lock ? this.lead() : false);
		if (await held({ ifAvailable: true }) !== false || this.signal.aborted) return;
		this.snapshot();
		await held({ signal: this.signal }).catch(() => {});
	}

	lead() {
		this.open();
		return this.source && new Promise((resolve) => { this.giveUp = resolve; });
	}

	open() {
		this.source?.close();
		if (this.signal.aborted || (S.run && !live())) return;
		const source = this.source = new EventSource(`api/runs/${encodeURIComponent(this.id)}/stream`);
		this.opened = performance.now();
		for (const kind of ['snapshot', 'second', 'lanes', 'run', 'ended']) {
			source.addEventListener(kind, ({ data }) => {
				this.channel.postMessage({ kind, data });
				this.take({ kind, data });
			});
		}
		source.onerror = () => {
			if (source.readyState === EventSource.CLOSED) setTimeout(() => this.source === source && this.open(), 1000);
		};
	}

	take({ kind, data, heard = 0 }) {
		if (this.signal.aborted) return;
		this.told = performance.now();
		this.heard = Math.max(this.heard, performance.now() - heard);
		if (kind === 'silence') return;
		const value = JSON.parse(data);
		if (kind === 'snapshot') {
			takeSnapshot(value);
			this.minute();
		} else if (!S.run) return;
		else if (kind === 'lanes') takeEnded(value);
		else if (kind === 'second') {
			this.furthest = value.toNs / 1e9;
			if (takeSecond(value) === false) this.fill();
			const old = S.points.at(-SECONDS_KEPT);
			if (old && old.to - old.from < 2) this.snapshot();
		} else takeRun(value);
		if (kind === 'ended') this.end();
		redraw();
	}

	async get(path) {
		const answer = await fetch(`api/runs/${encodeURIComponent(this.id)}${path}`, { signal: this.signal });
		if (!answer.ok) throw answer.status;
		return answer.json();
	}

	async fill() {
		if (this.filling) return;
		this.filling = true;
		try {
			let news = true;
			while (news && S.settled < this.furthest - 0.5) {
				news = (await this.get(`/seconds?from=${Math.round(S.settled)}`)).seconds.filter(takeSecond).length > 0;
			}
		} catch { }
		this.filling = false;
		redraw();
	}

	async snapshot() {
		try {
			takeSnapshot(await this.get('/snapshot'));
			this.minute();
			if (!live()) this.end();
			redraw();
		} catch (status) {
			if (status === 404) message(`This server knows no run ${this.id}.`);
			else if (!S.run && !this.signal.aborted) setTimeout(() => this.snapshot(), 1000);
		}
	}

	async minute() {
		if (!live() || !S.settled) return;
		try {
			const { seconds } = await this.get(`/seconds?from=${Math.max(0, Math.round(S.settled) - 60)}`);
			S.recent = seconds.concat(S.recent.filter((w) => w.fromNs >= (seconds.at(-1)?.toNs ?? 0))).slice(-60);
			redraw();
		} catch { }
	}

	watch() {
		const silent = performance.now() - this.heard;
		if (this.source && silent > 1000) this.channel.postMessage({ kind: 'silence', heard: silent });
		const begun = S.told + S.points.length > 0;
		if (begun && this.source && silent > 5000 && performance.now() - this.opened > 5000) this.open();
		if (begun && live() && !this.source && performance.now() - this.told > 5000) {
			this.told = performance.now();
			this.begin();
		}
		const lost = live() && begun && silent > SILENCE_MS;
		if (lost !== S.lost) news(lost ? LOOKING : 'The server is heard again.');
		S.lost = lost;
		if (S.run) showState();
	}

	end() {
		this.source?.close();
		this.source = null;
		this.giveUp?.();
		S.lost = false;
		if (S.run) showState();
		clearInterval(this.timer);
	}

	close() {
		this.closing.abort();
		this.end();
		this.channel.close();
	}
}

// drawing

let waits = false;
let drawnAt = -Infinity;
let chartsAt = -Infinity;
const still = matchMedia('(prefers-reduced-motion: reduce)');

function redraw(all = false) {
	dirty ||= all;
	if (waits || document.hidden || !S.run || (S.paused && !all)) return;
	waits = true;
	const wait = all ? 0 : drawnAt + (still.matches && live() ? CHART_MS : FRAME_MS) - performance.now();
	setTimeout(() => requestAnimationFrame(draw), Math.max(0, wait));
}

function draw() {
	waits = false;
	if (document.hidden || !S.run) return;
	drawnAt = performance.now();
	const all = dirty;
	if (all && showRun()) return waits = requestAnimationFrame(draw);
	dirty = false;
	showState();
	showTiles();
	drawGantt();
	if (all || drawnAt - chartsAt > CHART_MS - 50) {
		chartsAt = drawnAt;
		charts.forEach((chart) => chart.visible && later(chart));
		showLaneNumbers();
	}
	if (!due.size) drawNext();
}

const due = new Set();

function later(chart) {
	if (!due.size) requestAnimationFrame(drawNext);
	due.add(chart);
}

function drawNext() {
	const [chart] = due;
	due.delete(chart);
	if (due.size) requestAnimationFrame(drawNext);
	else Object.assign(document.documentElement.dataset, { settled: S.settled, now: now() });
	chart?.draw();
}

const news = (words) => set($('news'), words);

const palette = {};
const color = (place) => palette[`c${place}`];

function readPalette() {
	const probe = document.body.appendChild(h('i', { class: 'probe' }));
	for (const name of ['c0', 'c1', 'c2', 'c3', 'c4', 'ink', 'quiet', 'line', 'panel']) {
		probe.style.color = `var(--${name})`;
		palette[name] = getComputedStyle(probe).color;
	}
	probe.remove();
	palette.fills = [0, 1, 2, 3, 4].map((place) => {
		const tile = h('canvas', { width: 8, height: 8 });
		const g = tile.getContext('2d');
		g.fillStyle = color(place);
		g.fillRect(0, 0, 8, 8);
		g.strokeStyle = g.fillStyle = palette.panel;
		g.globalAlpha = 0.4;
		g.stroke(new Path2D(['', 'M0 8 8 0M-2 2 2-2M6 10 10 6', 'M0 4h8', 'M2 2h3v3h-3z', 'M4 0v8'][place]));
		return g.createPattern(tile, 'repeat');
	});
}

function fitted(canvas) {
	const { width, height } = canvas.getBoundingClientRect();
	const ratio = devicePixelRatio;
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	const g = canvas.getContext('2d');
	g.setTransform(ratio, 0, 0, ratio, 0, 0);
	g.clearRect(0, 0, width, height);
	g.font = '11px system-ui, sans-serif';
	g.textBaseline = 'middle';
	return { g, width, height };
}

function line(g, points, dash = []) {
	g.setLineDash(dash);
	g.beginPath();
	points.forEach((p, i) => p && (points[i - 1] ? g.lineTo(...p) : g.moveTo(...p)));
	g.stroke();
	g.setLineDash([]);
}

function cut(g, words, width) {
	if (g.measureText(words).width <= width) return words;
	let n = words.length;
	while (n > 0 && g.measureText(`${words.slice(0, n)}…`).width > width) n--;
	return n > 0 ? `${words.slice(0, n)}…` : '';
}

// first screen

function showState() {
	const words = S.paused ? ['off', 'Paused', `this is ${Math.round((performance.now() - S.pausedAt) / 1000)} s old`]
		: S.lost ? ['off', `Silent for ${Math.round((performance.now() - feed.heard) / 1000)} s`, LOOKING]
		: live() ? ['', 'Live', S.points.length ? `figures to ${clock(S.settled)}, lanes to ${clock(now())}` : 'nothing settled yet']
		: ['done', S.run.state[0].toUpperCase() + S.run.state.slice(1), isStatic ? '' : S.run.report ?? ''];
	const all = words.join();
	if ($('state').dataset.words === all) return;
	$('state').dataset.words = all;
	$('state').replaceChildren(h('i', { class: words[0] }), h('b', null, words[1]), words[2] && ` · ${words[2]}`);
}

const STATES = { missed: '✕ missed', cannot_be_met: '✕ cannot be met', open: '○ open', undecided: '○ undecided', met: '✓ met' };

function showRun() {
	const { run } = S;
	document.title = `${run.id} · Sluice`;
	$('run').hidden = false;
	set($('run-id'), run.id);
	const failure = run.failure ?? run.summary?.failure;
	$('words').replaceChildren(...run.words.concat(failure ? { word: 'failed', why: failure } : []).map(({ word, why }) =>
		h('li', { class: /not|failed/.test(word) && 'bad' }, h('b', null, word), why ?? '')));
	$('facts').replaceChildren(...[['Policy', run.policy], ['Weights', Object.entries(run.weights ?? {}).map(([k, v]) => `${k} ${number(v)}`).join(', ')], ['Lanes', run.lanes ?? '–']]
		.filter(([, v]) => v !== '').map((fact) => h('div', null, pairs([fact]))));
	const order = Object.keys(STATES);
	const chips = [...run.thresholds].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state)).map(({ state, figure, bound, value }) =>
		h('li', { class: state }, h('b', null, STATES[state]), `${figure} ${bound}`, h('span', { class: 'quiet' }, isNumber(value) || value ? number(value) : 'no value yet')));
	$('thresholds').replaceChildren(h('h2', null, live() ? 'Thresholds so far' : 'Thresholds'), chips.length ? h('ul', null, chips) : h('span', { class: 'quiet' }, 'none'));
	$('pause').hidden = !live() && !S.paused;
	$('runs-button').hidden = isStatic;
	for (const button of document.querySelectorAll('[data-span]')) button.setAttribute('aria-pressed', S.view.end === null && String(S.view.span) === button.dataset.span);
	buildTiles();
	showFigures();
	return buildCharts();
}

let tiles = {};

function buildTiles() {
	const key = [S.run.id, live()].join();
	if (tiles.key === key) return;
	tiles = { key };
	$('tiles').replaceChildren(...[['rates', 'Jobs per second'], ['waiting', 'Waiting'], ['late', 'Late'], ['p99', 'p99 end to end']].map(([id, title]) => {
		const tile = tiles[id] = { note: h('small'), list: h('ul'), canvas: h('canvas', { 'aria-hidden': true }), rows: {} };
		return h('div', { class: 'tile', id: `tile-${id}` }, h('h2', null, title, tile.note), tile.list, tile.canvas);
	}));
}

function showTile(tile, note, rows, { rule = null, least = 1 } = {}) {
	set(tile.note, note);
	for (const { name, place, value, beside = '', mark = '' } of rows) {
		const row = tile.rows[name] ??= { b: h('b'), beside: h('span', { class: 'quiet' }) };
		if (!row.b.isConnected) tile.list.append(h('li', null, h('span', null, place === undefined ? '' : swatch(place), name), row.b, row.beside));
		row.b.className = mark;
		set(row.b, value);
		set(row.beside, beside);
	}
	const { g, width, height } = fitted(tile.canvas);
	const to = charted();
	const from = live() ? Math.max(0, to - 60) : 0;
	const points = S.points.filter((p) => p.to > from);
	const lines = rows.filter((r) => r.line).map((r) => ({ ...r, known: points.map((p) => [p.to, r.line(p) ?? null]) }));
	const top = Math.max(least, ...lines.flatMap((l) => l.known.map(([, v]) => isNumber(v) ? Math.min(v, rule ? 3 * rule : v) : 0)));
	const at = ([t, v]) => v === null ? null : [2 + (t - from) / Math.max(1, to - from) * (width - 8), v === 'inf' ? 1 : height - 3 - Math.min(v / top, 1) * (height - 8)];
	g.strokeStyle = palette.quiet;
	g.lineWidth = 0.6;
	line(g, [[0, height - 2], [width, height - 2]]);
	if (rule) line(g, [at([from, rule]), at([to, rule])], [3, 3]);
	g.lineWidth = 1.8;
	for (const { place, known } of lines) {
		g.strokeStyle = color(place);
		line(g, known.map(at), DASHES[place]);
	}
}

function showTiles() {
	const { run } = S;
	const planned = run.planned_seconds;
	const left = planned - now();
	set($('time-left'), !live() ? `${clock(now())} long` : !planned ? '' : left > 0 ? `${clock(Math.ceil(left))} left of ${clock(planned)}` : 'tail: the load is over');
	$('progress').hidden = !live() || !planned;
	$('progress').value = planned ? Math.min(1, now() / planned) : 0;
	const s = live() ? null : run.summary;
	const last = S.points.at(-1);
	const per = (f) => (p) => f(p.total) / (p.to - p.from);
	const ins = per((c) => c.requested);
	const outs = per((c) => c.done);
	showTile(tiles.rates, s ? 'measured jobs' : 'all jobs', s
		? [{ name: 'done', place: 0, value: number(s.all_throughput_jobs_sec), line: outs }, { name: 'in time', place: 1, value: number(s.all_goodput_jobs_sec), line: per((c) => ended(c) - c.violations) }]
		: [{ name: 'in', place: 0, value: number(last && ins(last)), line: ins }, { name: 'out', place: 1, value: number(last && outs(last)), line: outs }]);
	const waits = { place: 0, line: (p) => p.waiting };
	showTile(tiles.waiting, s ? 'measured window' : 'jobs', s ? [{ ...waits, name: 'largest', value: number(s.queue_max) }]
		: [{ ...waits, name: 'waiting', value: number(last?.waiting) }, { name: 'running', value: number(S.recent.at(-1)?.running) }]);
	const late = [];
	const p99 = [];
	shownClasses().slice(0, 3).forEach((name, place) => {
		const slo = promise(name);
		const minute = S.recent.map((w) => w.byClass[name]).filter(Boolean);
		const n = sum(minute.map(ended));
		const value = s ? s[`${name}_p99_e2e_ms`] ?? (s[`${name}_count`] > 0 ? 'inf' : null) : minuteP99(minute);
		const above = value === 'inf' || (slo && value > slo);
		late.push({ name, place, value: percent(s ? s[`${name}_slo_violation_rate`] : n ? sum(minute.map((c) => c.violations)) / n : null), line: (p) => share(p.classes[name]) });
		p99.push({ name, place, value: millis(value), mark: above ? 'warn' : '', beside: slo ? `${above ? '▲ above' : 'of'} ${millis(slo)}${s?.[`${name}_p99_few_jobs`] ? ', few jobs' : ''}` : '',
			line: (p) => { const v = p.classes[name]?.p99_ms; return isNumber(v) && slo ? v / slo : v; } });
	});
	const note = (s ? 'measured jobs' : 'last minute') + (classes().length > late.length ? `; ${classes().length - late.length} more below` : '');
	showTile(tiles.late, note, late, { least: 0.05 });
	showTile(tiles.p99, note, p99, { rule: 1, least: 1.3 });
}

const share = (c) => c && ended(c) ? c.violations / ended(c) : null;

function range({ span, end, lanes }) {
	const to = Math.max(end ?? (lanes ? now() : charted()), Math.min(span ?? 5, 10));
	return [span === null ? 0 : Math.max(0, to - span), to];
}

function zoom(view, factor) {
	const [from, to] = range(view);
	const span = clamp((to - from) * factor, view === S.gantt ? 0.05 : 2, Math.max(10, now()));
	if (view.end !== null) view.end = clamp((from + to + span) / 2, span, now());
	view.span = view === S.view && span >= now() ? null : span;
	redraw(true);
}

function move(view, part) {
	const [from, to] = range(view);
	const end = to + part * (to - from);
	Object.assign(view, { span: to - from, end: end >= now() ? null : Math.max(to - from, end) });
	redraw(true);
}

const look = (span) => { S.view = { span, end: null }; redraw(true); };

function point(t, source) {
	if (S.cursor === t) return;
	S.cursor = t;
	charts.forEach((chart) => chart !== source && chart.visible && chart.point(t));
	drawGantt();
}

// lanes

let G = { rows: [] };
const gantt = $('gantt').firstElementChild;

function drawGantt() {
	const lanes = [...S.lanes.values()].sort((a, b) => inOrder(a.key, b.key));
	const folded = lanes.some((l) => l.index === null);
	const rows = lanes.filter((l) => (l.index === null) === folded);
	$('gantt').style.setProperty('--rows', rows.length);
	const { g, width, height } = fitted(gantt);
	const [from, to] = range(S.gantt);
	const edge = width < 500 ? 64 : 120;
	const row = clamp((height - 18) / Math.max(1, rows.length), 1, 66);
	const x = (t) => edge + (t - from) / (to - from) * (width - edge);
	const t = now();
	const bottom = rows.length * row;
	G = { rows, from, to, row, edge, width };
	const step = STEPS.find((n) => (to - from) / n <= (width - edge) / 70) ?? 1e6;
	for (let s = Math.ceil(from / step) * step; s < to; s += step) {
		g.fillStyle = palette.line;
		g.fillRect(x(s), 0, 1, bottom);
		g.fillStyle = palette.quiet;
		g.fillText(step < 1 ? digits(s, 2) : clock(s), x(s) + 3, height - 8);
	}
	g.save();
	g.beginPath();
	g.rect(edge, 0, width - edge, height);
	g.clip();
	const names = classes();
	rows.forEach((lane, i) => drawLane(g, lane, { x, y: i * row + (row > 5 ? 1 : 0), high: row > 5 ? row - 2 : row, from, to, names }));
	g.strokeStyle = g.fillStyle = palette.ink;
	if (S.cursor !== null) g.fillRect(x(S.cursor), 0, 1, bottom);
	const at = rows.indexOf(S.picked?.lane);
	g.lineWidth = 2;
	if (at >= 0) g.strokeRect(x(S.picked.from) - 1, at * row, Math.max(4, x(S.picked.to) - x(S.picked.from) + 2), row);
	g.restore();
	if (live() && S.gantt.end === null && row >= 12) showUnderWay(g, rows, width, row);
	const several = new Set(rows.map((l) => l.executor)).size > 1 || folded;
	const every = Math.ceil(12 / row);
	rows.forEach((lane, i) => {
		if (i % every) return;
		const name = several ? lane.key : `lane ${lane.index}`;
		const used = g.measureText(name).width + 6;
		g.fillStyle = palette.ink;
		g.fillText(cut(g, name, edge - 6), 0, (i + 0.5) * row);
		g.fillStyle = palette.quiet;
		if (edge > 100 && every === 1) g.fillText(cut(g, lane.bars.at(-1)?.workload ?? '', edge - used - 6), used, (i + 0.5) * row);
	});
	const words = !rows.length ? 'No lane has joined yet.'
		: folded ? `${count(rows.length, 'executor')}; height: share of busy lanes.`
		: `${count(rows.length, 'lane')} from ${clock(from)} to ${clock(to)}.${live() ? ` ${count(sum(rows.map((l) => l.underWay)), 'batch', 'es')} under way.` : S.leftOut ? ` ${S.leftOut} batches left out${$('snapshot') ? ': those around the second of most waiting are here' : ': zoom in'}.` : ''}`;
	set($('lanes-summary'), words);
	if (!S.picked) valueOf(gantt, 0, t, Math.min(to, t), words);
	askForBars(from, to);
}

function showUnderWay(g, rows, width, row) {
	rows.forEach((lane, i) => {
		if (!lane.underWay) return;
		const words = `${lane.underWay} under way`;
		const wide = g.measureText(words).width + 8;
		g.fillStyle = palette.panel;
		g.fillRect(width - wide, (i + 0.5) * row - 7, wide, 14);
		g.fillStyle = palette.ink;
		g.fillText(words, width - wide + 4, (i + 0.5) * row);
	});
}

function valueOf(slider, min, max, value, words) {
	for (const [name, v] of Object.entries({ min: Math.floor(min), max: Math.ceil(max), now: Math.round(value), text: words })) slider.setAttribute(`aria-value${name}`, v);
}

function drawLane(g, lane, { x, y, high, from, to, names }) {
	const column = (a, b, part) => g.fillRect(a, y + high * (1 - part), Math.max(1, b - a), high * part);
	const thin = [];
	for (const bar of lane.bars) {
		if (bar.from > to) break;
		const a = x(bar.from);
		const wide = x(bar.to) - a;
		if (a + wide < x(from)) continue;
		if (wide < 2) {
			thin[Math.floor(a)] = Math.min(1, (thin[Math.floor(a)] ?? 0) + Math.max(0.1, wide));
			continue;
		}
		const place = Math.max(0, names.indexOf(bar.classType)) % GROUP;
		g.fillStyle = palette.fills[place];
		g.fillRect(a, y, wide - 0.6, high);
	}
	g.fillStyle = palette.quiet;
	thin.forEach((part, i) => column(i, i, part));
	for (const p of lane.shares) {
		if (p.to > from && p.from < to && !(p.coarse && lane.index !== null && p.to > S.held[0] && p.from < S.held[1])) column(x(p.from), x(p.to), Math.min(1, p.share));
	}
}

function askForBars(from, to) {
	if (!feed || (live() && S.gantt.end === null) || !S.lanes.size || (!S.leftOut && from >= S.held[0] && Math.min(to, now()) <= S.held[1])) return;
	const key = `/batches?from=${Math.max(0, from - (to - from) / 2).toFixed(2)}&to=${(to + (to - from) / 2).toFixed(2)}`;
	if (feed.asked === key) return;
	feed.asked = key;
	const asking = feed;
	setTimeout(async () => {
		if (feed !== asking || asking.asked !== key) return;
		try {
			const bars = await asking.get(key);
			if (feed !== asking || asking.asked !== key) return;
			if (!live()) S.lanes.forEach((lane) => { Object.assign(lane, { bars: [], known: new Map() }); });
			const [, end] = S.held;
			takeBars({ ...bars, ...(live() ? { to_s: end } : {}) });
			redraw(true);
		} catch { asking.asked = null; }
	}, 200);
}

function pick(bar, pinned) {
	Object.assign(S, { picked: bar, pinned });
	const actual = bar.serviceMs ?? (bar.to - bar.from) * 1000;
	const rows = [
		['Jobs', `${count(bar.jobs, 'job')} of ${bar.classType}, ${count(bar.samples, 'sample')}`],
		['Lane', `${bar.lane.key}, from ${digits(bar.from, 3)} s`],
		['Predicted', millis(bar.predictedMs) + (bar.p95Ms ? `, p95 ${millis(bar.p95Ms)}` : '')],
		['Actual', millis(actual)],
		['Attempt', `${bar.attempt}, ${bar.result}`],
		...Object.entries(bar.scoreTerms ?? {}).map(([term, value]) => [`Score: ${term}`, number(value)]),
	];
	const card = $('card');
	card.replaceChildren(h('h3', null, `${bar.workload} · ${bar.backend} · ${bar.precision}`), h('dl', null, pairs(rows)), command(S.run.commands.explain.replace('JOB', bar.firstJob)));
	card.classList.toggle('left', (bar.from + bar.to) / 2 > (G.from + G.to) / 2);
	card.hidden = false;
	valueOf(gantt, 0, now(), bar.from, `${bar.workload}, ${rows.map(([k, v]) => `${k} ${v}`).join('; ')}`);
}

function unpick() {
	Object.assign(S, { picked: null, pinned: false });
	$('card').hidden = true;
}

function command(words) {
	const copy = ({ target }) => navigator.clipboard.writeText(words).then(() => set(target, 'Copied'));
	return h('p', { class: 'command' }, h('code', null, words), navigator.clipboard ? h('button', { 'aria-label': `Copy ${words}`, onclick: copy }, 'Copy') : null);
}

function barAt(event) {
	const box = gantt.getBoundingClientRect();
	const lane = G.rows[Math.floor((event.clientY - box.top) / G.row)];
	const t = timeAt(event);
	const near = 3 * (G.to - G.from) / (G.width - G.edge);
	return lane?.bars.findLast((b) => b.from <= t + near && b.to >= t - near);
}

const timeAt = (event) => G.from + (event.clientX - gantt.getBoundingClientRect().left - G.edge) / (G.width - G.edge) * (G.to - G.from);

function walk(along, across) {
	const rows = G.rows.filter((l) => l.bars.length);
	if (!rows.length) return;
	const nearest = (bars, t) => bars.reduce((best, b) => Math.abs(b.from - t) < Math.abs(best.from - t) ? b : best);
	const { lane, from } = S.picked ?? { lane: rows[0], from: (G.from + G.to) / 2 };
	const target = rows[clamp(rows.indexOf(lane) + across, 0, rows.length - 1)];
	let bar = nearest(target.bars, from);
	if (along) bar = target.bars[clamp(target.bars.indexOf(bar) + along, 0, target.bars.length - 1)];
	if (bar.from < G.from || bar.from > G.to) S.gantt.end = Math.max(S.gantt.span, bar.from + S.gantt.span / 2);
	else S.gantt.end ??= G.to;
	pick(bar, true);
	redraw(true);
}

function listenToLanes() {
	let grip = null;
	gantt.addEventListener('pointerdown', (event) => { grip = { x: event.clientX, end: G.to }; });
	gantt.addEventListener('pointermove', (event) => {
		if (grip && event.buttons) {
			grip.moved ||= Math.abs(grip.x - event.clientX) > 4;
			if (!grip.moved) return;
			S.gantt.end = grip.end;
			move(S.gantt, (grip.x - event.clientX) / (G.width - G.edge));
			return;
		}
		point(timeAt(event) < G.from ? null : timeAt(event));
		if (S.pinned) return;
		const bar = barAt(event);
		if (bar && bar !== S.picked) pick(bar, false);
		else if (!bar) unpick();
	});
	gantt.addEventListener('pointerleave', ({ relatedTarget }) => {
		point(null);
		if (!S.pinned && !$('card').contains(relatedTarget)) unpick();
	});
	$('card').addEventListener('pointerleave', () => S.pinned || unpick());
	gantt.addEventListener('pointerup', (event) => {
		const moved = grip?.moved;
		grip = null;
		if (moved) return;
		const bar = barAt(event);
		if (bar) {
			S.gantt.end ??= G.to;
			pick(bar, true);
		} else unpick();
		redraw(true);
	});
	gantt.addEventListener('focus', () => { if (gantt.matches(':focus-visible') && !S.picked) walk(0, 0); });
	gantt.addEventListener('keydown', (event) => {
		const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		if (step && event.shiftKey) move(S.gantt, step[0] / 4);
		else if (step) walk(...step);
		else if (/^[+=]$/.test(event.key)) zoom(S.gantt, 0.5);
		else if (/^[-−]$/.test(event.key)) zoom(S.gantt, 2);
		else if (event.key === 'End') ACTIONS['lanes-now']();
		else return;
		event.preventDefault();
		event.stopPropagation();
	});
	$('lanes-numbers').addEventListener('toggle', showLaneNumbers);
}

function showLaneNumbers() {
	if (!$('lanes-numbers').open) return;
	const { from, to } = G;
	$('lanes-numbers').lastElementChild.replaceChildren(table(`From ${digits(from, 3)} s to ${digits(to, 3)} s`, ['Lane', 'Model', 'Busy', 'Batches', 'Jobs', 'Samples', ...(live() ? ['Under way'] : [])], G.rows.map((lane) => {
		const inside = (parts) => parts.filter((b) => b.to > from && b.from < to);
		const bars = inside(lane.bars);
		const busy = sum(bars.concat(inside(lane.shares).filter((p) => !bars.length || !p.coarse)).map((b) => (Math.min(to, b.to) - Math.max(from, b.from)) * (b.share ?? 1)));
		const least = inside(lane.shares).some((p) => !p.coarse) ? '≥ ' : '';
		const last = lane.bars.at(-1);
		return [lane.key, last ? `${last.workload}/${last.backend}/${last.precision}` : '', percent(Math.min(1, busy / (to - from))), ...[bars.length, sum(bars.map((b) => b.jobs)), sum(bars.map((b) => b.samples))].map((n) => least + digits(n, 0)), ...(live() ? [digits(lane.underWay, 0)] : [])];
	})));
}

// charts

let charts = [];
let chartsKey = '';
const chartOf = (element) => charts.find((c) => c.root === element || c.plot === element);
const seen = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
	const chart = chartOf(target);
	if (chart && (chart.visible = isIntersecting)) later(chart);
}), { rootMargin: '200px' });
const sized = new ResizeObserver((entries) => entries.forEach(({ target }) => chartOf(target)?.u?.setSize({ width: target.clientWidth, height: 220 })));
addEventListener('beforeprint', () => charts.forEach((c) => c.draw()));

class Chart {
	constructor(title, unit, lines, { levels = [], log = false, format = number } = {}) {
		Object.assign(this, { title, unit, lines, levels, log, format, index: null });
		const id = `chart-${title.toLowerCase().replace(/\W+/g, '-')}`;
		this.summary = h('p', { class: 'summary', id: `${id}-summary` });
		this.plot = h('div', { class: 'plot', tabindex: 0, role: 'slider', 'aria-label': `${title}: cursor`, 'aria-describedby': `${id}-summary`, 'aria-valuenow': 0, onkeydown: (event) => this.key(event) });
		this.region = h('div', { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': `Numbers: ${title}` });
		this.details = h('details', { ontoggle: () => this.tabulate() }, h('summary', null, `Numbers: ${title}`), this.region);
		this.values = lines.map(() => h('b'));
		this.root = h('section', { class: 'chart', id, 'aria-label': title }, h('h3', null, title), h('small', { class: 'quiet' }, unit), this.summary, this.plot,
			h('p', { class: 'readout' }, lines.map((l, i) => h('span', null, swatch(l.place, l.dash), l.name, this.values[i]))), this.details);
	}

	data() {
		const [from, to] = range(S.view);
		const points = S.points;
		const a = points.findIndex((p) => p.to >= from);
		this.shown = a < 0 ? [] : points.slice(a, points.findLastIndex((p) => p.from < to) + 1);
		this.raw = this.lines.map((l) => this.shown.map((p) => l.value(p) ?? null));
		return [this.shown.map((p) => p.to), ...this.raw.map((column) => column.map((v) => isNumber(v) && (v > 0 || !this.log) ? v : null))];
	}

	make() {
		const axis = { stroke: () => palette.quiet, grid: { stroke: () => palette.line, width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif', gap: 4 };
		const alone = (u, k) => u.data[k].flatMap((v, i, all) => isNumber(v) && !isNumber(all[i - 1]) && !isNumber(all[i + 1]) ? i : []);
		this.u = new uPlot({
			width: Math.max(200, this.plot.clientWidth), height: 220, legend: { show: false }, padding: [10, this.plot.clientWidth < 420 ? 76 : 112, 0, 0],
			cursor: { y: false, drag: { setScale: false }, points: { size: 7, fill: () => palette.panel, stroke: () => palette.ink } },
			scales: { x: { time: false, range: () => range(S.view) }, y: { distr: this.log ? 3 : 1, range: (u, low, high) => {
				const all = [low, high, ...this.levels.map(([, v]) => v)].filter(isNumber);
				const top = Math.max(...all, this.log ? 1 : 0);
				return this.log ? [Math.min(...all, top / 10) / 1.6, top * 1.6] : [Math.min(0, ...all) * 1.1, top ? top * 1.1 : 1];
			} } },
			axes: [
				{ ...axis, values: (u, splits) => splits.map(clock), incrs: STEPS, space: 60, size: 26 },
				{ ...axis, size: 52, space: 30, values: (u, splits) => splits.map((v) => v === null ? null : this.format(v).replace(' ms', '')), ...(this.log ? { splits: (u, k, low, high) => [-3, -2, -1, 0, 1, 2, 3, 4, 5, 6].flatMap((n) => [1, 2, 5].map((d) => d * 10 ** n)).filter((v) => v > low && v < high) } : {}) },
			],
			series: [{}, ...this.lines.map((l) => ({ stroke: () => color(l.place), width: 2, dash: DASHES[l.dash ?? l.place], points: { filter: alone, size: 4, fill: () => color(l.place) } }))],
			hooks: {
				draw: [(u) => this.decorate(u)],
				setCursor: [(u) => {
					if (u.cursor.event) point(u.cursor.left >= 0 ? u.posToVal(u.cursor.left, 'x') : null, this);
					this.read(u.cursor.idx);
				}],
				setSelect: [(u) => {
					const { left, width } = u.select;
					if (width < 6) return;
					const end = u.posToVal(left + width, 'x');
					S.view = { span: Math.max(1, end - u.posToVal(left, 'x')), end };
					if (S.view.span <= 120) Object.assign(S.gantt, S.view);
					u.setSelect({ left: 0, width: 0 }, false);
					redraw(true);
				}],
			},
		}, this.data(), this.plot);
	}

	draw() {
		if (!S.points.length) return set(this.summary, 'Nothing settled yet.');
		const [from, to] = range(S.view);
		if (!this.u) this.make();
		else {
			this.u.batch(() => {
				this.u.setData(this.data(), false);
				this.u.setScale('x', { min: from, max: to });
			});
		}
		const spans = this.lines.slice(0, GROUP).map((l, k) => {
			const known = this.raw[k].filter((v) => v !== null);
			const finite = known.filter(isNumber);
			const infinite = known.length - finite.length;
			const [name, level] = this.log ? this.levels[0] ?? [] : [];
			return `${l.name} ${finite.length ? `${this.format(Math.min(...finite))} to ${this.format(Math.max(...finite))}` : 'none'}`
				+ (level && !k ? `, above the ${name} in ${infinite + finite.filter((v) => v > level).length} of ${count(known.length, 'point')}` : '') + (infinite ? `, infinite in ${infinite}` : '');
		});
		set(this.summary, `${clock(from)} to ${clock(to)}: ${spans.join('; ')}.`);
		if (S.cursor === null) this.read(null);
		this.tabulate();
	}

	decorate(u) {
		const g = u.ctx;
		const { width, height } = u.over.getBoundingClientRect();
		const x = (t) => u.valToPos(t, 'x');
		const y = (v) => u.valToPos(v, 'y');
		const labels = [];
		g.save();
		g.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, u.bbox.left, u.bbox.top);
		g.font = '11px system-ui, sans-serif';
		g.textBaseline = 'middle';
		g.textAlign = 'left';
		g.lineWidth = 1.2;
		g.strokeStyle = palette.ink;
		for (const [name, v] of this.levels) {
			if (!isNumber(v)) continue;
			line(g, [[0, y(v)], [width, y(v)]], [1.5, 3]);
			labels.push({ y: y(v), name, tint: palette.ink });
		}
		this.lines.forEach((l, k) => {
			const last = this.raw[k].findLastIndex(isNumber);
			if (last >= 0 && u.data[k + 1][last] !== null) labels.push({ y: y(this.raw[k][last]), name: l.name, tint: color(l.place) });
			g.fillStyle = color(l.place);
			this.raw[k].forEach((v, i) => {
				if (v !== 'inf' || u.data[0][i] < u.scales.x.min) return;
				g.fill(new Path2D(`M${x(u.data[0][i])} 0l-5 8h10z`));
			});
		});
		labels.sort((a, b) => a.y - b.y).forEach((l, i) => { l.at = Math.max(l.y, i ? labels[i - 1].at + 12.5 : 0); });
		g.fillStyle = palette.ink;
		if (this.raw.flat().includes('inf')) g.fillText('▲ infinite', 2, -5);
		const over = Math.max(0, (labels.at(-1)?.at ?? 0) - height);
		for (const { y: end, at, name, tint } of labels) {
			g.strokeStyle = tint;
			line(g, [[width + 1, end], [width + 11, at - over]]);
			g.fillStyle = palette.ink;
			g.fillText(cut(g, name, u.width - u.bbox.left / devicePixelRatio - width - 16), width + 14, at - over);
		}
		g.restore();
	}

	read(index) {
		if (!this.u) return;
		this.index = index ?? null;
		const at = index ?? this.shown.length - 1;
		this.values.forEach((b, k) => set(b, this.shown[at] ? this.format(this.raw[k][at]) : '–'));
		const t = this.u.data[0][at] ?? 0;
		valueOf(this.plot, ...range(S.view), t, `at ${clock(t)}: ${this.lines.map((l, k) => `${l.name} ${this.values[k].textContent}`).join(', ')}`);
	}

	point(t) {
		if (!this.u) return;
		this.u.setCursor({ left: t === null ? -10 : this.u.valToPos(t, 'x'), top: 10 }, false);
		this.read(t === null ? null : this.u.valToIdx(t));
	}

	key(event) {
		const last = (this.u?.data[0].length ?? 0) - 1;
		const at = this.index ?? this.shown?.length - (event.key === 'ArrowLeft' ? 0 : 1);
		const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
		if (to === undefined || last < 0 || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
		event.preventDefault();
		event.stopPropagation();
		point(this.u.data[0][clamp(to, 0, last)]);
	}

	tabulate() {
		const key = `${this.shown?.[0]?.from} ${this.shown?.at(-1)?.to}`;
		if (!this.details.open || !this.u || this.tabled === key) return;
		this.tabled = key;
		this.region.replaceChildren(table(`${this.unit}`, ['From', 'Seconds', ...this.lines.map((l) => l.name)], this.shown.slice(-600).reverse().map((p) =>
			[clock(p.from), digits(p.to - p.from, 0), ...this.lines.map((l) => { const v = l.value(p) ?? ''; return isNumber(v) ? digits(v, 3) : v && 'infinite'; })])));
	}
}

function buildCharts() {
	const names = shownClasses();
	const budget = S.points.findLast((p) => isNumber(p.tokens))?.tokens;
	const key = [S.run.id, ...names, budget].join();
	if (key === chartsKey) return;
	chartsKey = key;
	seen.disconnect();
	sized.disconnect();
	due.clear();
	charts.forEach((chart) => chart.u?.destroy());
	const rate = (f) => (p) => f(p) / (p.to - p.from);
	const each = (f) => names.map((name, place) => ({ name, place, value: (p) => p.classes[name] && f(p.classes[name]) }));
	const of = (f) => (p) => p.batches ? f(p) / p.batches : null;
	charts = [
		new Chart('Rates', 'jobs per second', [{ name: 'in', place: 0, value: rate((p) => p.total.requested) }, { name: 'out', place: 1, value: rate((p) => p.total.done) },
			{ name: 'not done', place: 3, value: rate((p) => p.total.dropped + p.total.failed) }]),
		new Chart('Waiting', 'jobs at the end', [...each((c) => c.waiting), { name: 'all', place: 4, value: (p) => p.waiting }]),
		...names.map((name, place) => new Chart(`Latency: ${name}`, 'end to end, ms, of jobs that ended', ['p99', 'p95', 'p50'].map((p, dash) => ({ name: p, place, dash, value: (x) => x.classes[name]?.[`${p}_ms`] })),
			{ log: true, format: millis, levels: promise(name) ? [[`promise ${millis(promise(name))}`, promise(name)]] : [] })),
		new Chart('Violation rate', 'late share of ended jobs', each(share), { format: percent }),
		new Chart('Lane use', 'busy share of all lanes', [{ name: 'use', place: 0, value: (p) => p.lane_use }], { format: percent, levels: [['all lanes', 1]] }),
		new Chart('Idle beside work', 'ms per second that lanes stood idle while jobs waited, by cause', CAUSES.map((name, place) => ({ name, place, value: rate((p) => p.blocked_ms?.[name] ?? 0) }))),
		...(budget ? [new Chart('Tokens in use', 'memory tokens at the end', [{ name: 'in use', place: 0, value: (p) => p.tokens_in_use }], { levels: [['budget', budget]] })] : []),
		new Chart('Predicted against actual', 'batches beyond their bounds; (actual − predicted) / predicted', [{ name: 'beyond p95', place: 0, value: of((p) => p.beyond_p95) }, { name: 'beyond p99', place: 1, value: of((p) => p.beyond_p99) },
			{ name: 'median error', place: 2, value: (p) => p.prediction_error }], { format: percent, levels: [['5 %', 0.05], ['1 %', 0.01]] }),
		new Chart('Lateness of the generators', 'send call − intended arrival, ms', [{ name: 'largest', place: 1, value: (p) => p.lateness_max_ms }, { name: 'p99', place: 0, value: (p) => p.lateness_p99_ms }], { format: millis }),
	];
	$('grid').replaceChildren(...charts.map(({ root, plot }) => { seen.observe(root); sized.observe(plot); return root; }));
	const groups = Math.ceil(classes().length / GROUP);
	const choice = h('select', { id: 'group', onchange: () => { S.group = Number(choice.value); redraw(true); } }, Array.from({ length: groups }, (_, i) => h('option', { value: i }, `${i + 1} of ${groups}`)));
	choice.value = S.group;
	$('groups').replaceChildren(...(groups > 1 ? [h('label', { for: 'group' }, 'Classes'), choice] : []));
	showLegend();
	return true;
}

function showLegend() {
	$('lanes-legend').replaceChildren(...shownClasses().flatMap((name) => {
		const key = h('canvas', { width: 22, height: 12, 'aria-hidden': true });
		const g = key.getContext('2d');
		g.fillStyle = palette.fills[classes().indexOf(name) % GROUP];
		g.fillRect(0, 0, 22, 12);
		return [key, name];
	}));
}

const FIGURES = { count: 'Jobs', done: 'Done', dropped: 'Dropped', failed: 'Failed', p50_e2e_ms: 'p50 ms', p95_e2e_ms: 'p95 ms', p99_e2e_ms: 'p99 ms',
	slo_violation_rate: 'Late share', goodput_jobs_sec: 'In time per s' };

function showFigures() {
	const { run } = S;
	const s = live() ? null : run.summary;
	const tables = $('tables').childElementCount > 0;
	$('figures').hidden = !s || tables;
	if (s) {
		const cell = (name, figure) => {
			const id = `${name}_${figure}`;
			const v = s[id] ?? null;
			return h('td', { 'data-figure': id }, isNumber(v) ? Number.isInteger(v) ? String(v) : v.toFixed(3) : figure[0] === 'p' && s[`${name}_count`] ? 'infinite' : '–');
		};
		$('figures-table').replaceChildren(table(`Arrivals from ${s.warmup_seconds} s to ${s.duration_seconds} s; infinite where a percentile falls on a job that was not done`,
			['Class', ...Object.values(FIGURES)], ['all', ...classes()].map((name) => [name, ...Object.keys(FIGURES).map((figure) => cell(name, figure))])));
	}
	const asked = Object.entries(run.commands ?? {}).filter(([, words]) => words);
	if (S.asked !== `${asked}`) $('commands').replaceChildren(...pairs(asked.map(([name, words]) => [name, command(words)])));
	S.asked = `${asked}`;
}

// runs

const L = { runs: [], key: 'started_epoch_ms', down: true, picked: [] };
const COLUMNS = { id: ['Run'], state: ['State'], policy: ['Policy'], rate_per_s: ['Jobs/s', number], goodput_per_s: ['In time/s', number], p99_ms: ['p99', millis], late: ['Late', percent],
	started_epoch_ms: ['Started, UTC', (v) => v ? new Date(v).toISOString().slice(0, 16).replace('T', ' ') : '–'], seconds: ['Seconds', number] };

async function askForRuns() {
	const { runs } = await (await fetch('api/runs')).json();
	L.runs = runs;
	message('');
}

async function showRuns() {
	clearTimeout(L.timer);
	if (!document.hidden) await askForRuns().then(drawRuns, () => message(LOOKING));
	if (!$('list').hidden) L.timer = setTimeout(showRuns, 2000);
}

function drawRuns() {
	const wanted = $('filter').value.toLowerCase().split(/\s+/);
	const key = (r) => r[L.key] === 'inf' ? Infinity : r[L.key] ?? -Infinity;
	const found = L.runs.filter((r) => wanted.every((word) => [r.id, r.state, r.policy, ...(r.words ?? []), ...(r.why ?? [])].join(' ').toLowerCase().includes(word)))
		.sort((a, b) => (L.down ? -1 : 1) * (isNumber(key(a)) && isNumber(key(b)) ? key(a) - key(b) : inOrder(key(a), key(b))));
	set($('list-count'), count(found.length, 'run') + (found.length > 200 ? ', 200 of them shown' : ''));
	const focused = document.activeElement.id;
	const heads = Object.entries(COLUMNS).map(([name, [title]]) => h('th', { scope: 'col', 'aria-sort': L.key === name && (L.down ? 'descending' : 'ascending') },
		h('button', { id: `sort-${name}`, onclick: () => { Object.assign(L, { down: L.key === name ? !L.down : name !== 'id', key: name }); drawRuns(); } }, title + (L.key === name ? L.down ? ' ↓' : ' ↑' : ''))));
	$('runs').replaceChildren(h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Pick'), heads)), h('tbody', null, found.slice(0, 200).map((r) => {
		const box = h('input', { type: 'checkbox', id: `pick-${r.id}`, 'aria-label': `Pick ${r.id}`, onchange: () => pickRun(r.id) });
		box.checked = L.picked.includes(r.id);
		const words = [...new Set(r.words ?? [])].map((word) => h('b', { class: word === 'not comparable' && 'warn' }, ` ${word}`));
		return h('tr', null, h('td', null, h('label', { class: 'pick' }, box)), h('td', null, h('a', { id: `run-${r.id}`, href: `#${encodeURIComponent(r.id)}` }, r.id)),
			h('td', { class: 'wrap' }, r.state, words, h('div', { class: 'quiet' }, (r.why ?? []).join('; '))), h('td', null, r.policy ?? '–'), Object.entries(COLUMNS).slice(3).map(([name, [, f]]) => h('td', null, f(r[name]))));
	})));
	if (focused) $(focused)?.focus();
}

function pickRun(id) {
	L.picked = L.picked.includes(id) ? L.picked.filter((other) => other !== id) : [...L.picked, id].slice(-2);
	$('compare').replaceChildren(...(L.picked.length === 2 ? ['To compare them:', command(`./sluice simulate ${L.picked.map((p) => `--like results/${p}`).join(' ')}`)] : []));
	drawRuns();
}

// page, keys

function message(words) {
	$('message').hidden = !words;
	set($('message'), words);
}

async function route() {
	feed?.close();
	feed = null;
	clearTimeout(L.timer);
	Object.assign(S, structuredClone(NOTHING), { view: { span: 60, end: null }, gantt: { span: 10, end: null, lanes: true } });
	chartsKey = '';
	tiles = {};
	unpick();
	$('run').hidden = $('list').hidden = true;
	set($('state'), '');
	$('state').dataset.words = '';
	message('');
	let id = decodeURIComponent(location.hash.slice(1));
	try {
		if (!id || id === 'runs') await askForRuns();
	} catch {
		message(LOOKING);
		setTimeout(() => feed ?? route(), 1000);
		return;
	}
	id ||= L.runs.length === 1 ? L.runs[0].id : 'runs';
	if (id !== 'runs') {
		feed = new Feed(id);
		return;
	}
	document.title = 'Runs · Sluice';
	$('list').hidden = false;
	showRuns();
}

const kept = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
const keep = (key, value) => { try { localStorage.setItem(key, value); } catch { } };

function setTheme(theme) {
	document.documentElement.dataset.theme = theme;
	set($('theme'), `Theme: ${theme}`);
	keep('sluice-theme', theme);
	repaint();
}

function repaint() {
	readPalette();
	if (!S.run) return;
	showLegend();
	redraw(true);
}

const ACTIONS = {
	runs: () => { if (!isStatic) location.hash = 'runs'; },
	pause: () => {
		if (!live() && !S.paused) return;
		Object.assign(S, { paused: !S.paused, pausedAt: performance.now() });
		$('pause').setAttribute('aria-pressed', S.paused);
		showState();
		redraw(true);
	},
	theme: () => setTheme({ system: 'light', light: 'dark', dark: 'system' }[document.documentElement.dataset.theme]),
	keys: () => $('keys').showModal(),
	minute: () => look(60),
	ten: () => look(600),
	all: () => look(null),
	earlier: () => move(S.view, -0.25),
	later: () => move(S.view, 0.25),
	in: () => zoom(S.view, 0.5),
	out: () => zoom(S.view, 2),
	'lanes-earlier': () => move(S.gantt, -0.5), 'lanes-later': () => move(S.gantt, 0.5),
	'lanes-in': () => zoom(S.gantt, 0.5), 'lanes-out': () => zoom(S.gantt, 2),
	'lanes-now': () => { S.gantt.end = null; unpick(); redraw(true); },
};
const KEYS = { p: 'pause', r: 'runs', '?': 'keys', 1: 'minute', 2: 'ten', 3: 'all', '+': 'in', '=': 'in', '-': 'out', '−': 'out', ArrowLeft: 'earlier', ArrowRight: 'later' };

function onKey(event) {
	const action = KEYS[event.key];
	if (event.key === 'Escape') {
		unpick();
		redraw(true);
	}
	if (!action || event.ctrlKey || event.metaKey || event.altKey || $('keys').open || event.target.matches('input, select') || !$('keys-on').checked) return;
	if (action.length > 4 && event.key.length > 1 && event.target.closest('.scroll, pre')) return;
	if (!S.run && !['runs', 'keys'].includes(action)) return;
	event.preventDefault();
	ACTIONS[action]();
}

function begin() {
	const snapshot = $('snapshot');
	isStatic = snapshot !== null;
	setTheme(kept('sluice-theme') ?? 'system');
	listenToLanes();
	document.addEventListener('click', ({ target }) => ACTIONS[target.closest('[data-do]')?.dataset.do]?.());
	document.addEventListener('keydown', onKey);
	document.addEventListener('visibilitychange', () => redraw(true));
	$('skip').addEventListener('click', (event) => { event.preventDefault(); $('charts').focus(); });
	$('filter').addEventListener('input', drawRuns);
	$('keys-on').checked = kept('sluice-keys') !== 'off';
	$('keys-on').addEventListener('change', ({ target }) => keep('sluice-keys', target.checked ? 'on' : 'off'));
	for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) matchMedia(query).addEventListener('change', repaint);
	new ResizeObserver(() => redraw(true)).observe(gantt);
	if (isStatic) {
		takeSnapshot(JSON.parse(snapshot.textContent));
		redraw(true);
	} else {
		addEventListener('hashchange', route);
		route();
	}
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
else begin();
})();
