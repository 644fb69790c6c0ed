import { useEffect, useMemo, useState } from "preact/hooks";
import { CopyButton } from "../../../kit/copy";
import type { App } from "../../app/app";
import { type Process, readProcess } from "../../data/lifecyclewrites";
import { useLive } from "../../shell/live";
import { Loaded } from "../../shell/loaded";
import { moment } from "../../words/times";
import { locale } from "../../words/words";
import { Fact } from "./fact";
import { manageLifecycle } from "./permissions";
import { w } from "./words";

/** How often the figures are read, in milliseconds, and how many of them the chart keeps. */
const every = 5_000;
const kept = 60;

/** The state of a module's process, and how it last ended. */
export function CrashReport({ app, moduleId }: { readonly app: App; readonly moduleId: string }) {
	const resource = useMemo(() => app.data.resource(() => readProcess(app.platform, moduleId)), [moduleId]);
	useLive(resource, every);
	return (
		<section class="host-crashreport">
			<h2>{w("process")}</h2>
			<Loaded resource={resource} permission={manageLifecycle} part>
				{(process) => <Figures app={app} moduleId={moduleId} process={process} />}
			</Loaded>
		</section>
	);
}

interface FiguresProps {
	readonly app: App;
	readonly moduleId: string;
	readonly process: Process;
}

function Figures({ app, moduleId, process }: FiguresProps) {
	const samples = useSamples(process);
	if (process.state === "absent") return <p class="d-muted">{w("noProcess")}</p>;
	const { lastEnd, memoryBytes, memoryLimitBytes, inFlight: count, waiting } = process;
	const state = process.state === "restarting" || process.state === "refused" ? process.state : "ready";
	return (
		<>
			<p>{w(state, { time: process.since === null ? "" : moment(process.since) })}</p>
			<dl class="host-facts">
				<Fact name={w("startsCount", { count: process.starts })}>
					{lastEnd === null ? w("neverEnded") : <LastEnd {...lastEnd} />}
				</Fact>
				<Fact name={w("memoryHead")}>
					<span>
						{w("memoryUse", { used: bytes(memoryBytes), bound: bytes(memoryLimitBytes) })}
						<Chart samples={samples} bound={memoryLimitBytes} />
					</span>
				</Fact>
				<Fact name={w("hostMemory")}>
					{w("memoryUse", { used: bytes(process.hostMemoryBytes), bound: bytes(process.hostMemoryLimitBytes) })}
				</Fact>
				<Fact name={w("calls")}>
					<span>
						{w("callsNow", { count, waiting: w("waitingCalls", { count: waiting }) })}
						<br />
						{w("callsAll", { count: process.requests, failures: process.failures })}
					</span>
				</Fact>
				<Fact name={w("cpu")}>{w("seconds", { count: Math.round(process.cpuSeconds) })}</Fact>
			</dl>
			{lastEnd !== null && <LogCommand app={app} moduleId={moduleId} />}
		</>
	);
}

/** Only the operator may read what the module wrote, so this shows the command for it. */
function LogCommand({ app, moduleId }: { readonly app: App; readonly moduleId: string }) {
	const command = `narthex modules:logs -- --module ${moduleId}`;
	return (
		<div class="d-row host-command">
			<span class="d-muted">{w("readLog")}</span>
			<bdi dir="ltr" translate={false} class="d-code">
				{command}
			</bdi>
			<CopyButton text={command} label={w("copyCommand")} toasts={app.toasts} />
		</div>
	);
}

const kinds = ["exit", "signal", "memory", "deadline", "link"] as const;

function LastEnd({ at, kind, code }: NonNullable<Process["lastEnd"]>) {
	const known = kinds.find((word) => word === kind);
	return (
		<span>
			{w("lastEnd", { time: moment(at) })}
			<br />
			{known === undefined ? kind : w(known)} {code !== null && w("exitCode", { code: String(code) })}
		</span>
	);
}

const bytes = (count: number): string =>
	new Intl.NumberFormat(locale.value.tag, {
		style: "unit",
		unit: "megabyte",
		maximumFractionDigits: count < 10_485_760 ? 1 : 0,
	}).format(count / 1_048_576);

/** The memory of the process, at each read since the page was opened. */
function useSamples(process: Process): readonly number[] {
	const [samples, setSamples] = useState<readonly number[]>([]);
	useEffect(() => setSamples((before) => [...before, process.memoryBytes].slice(-kept)), [process]);
	return samples;
}

const [width, height] = [240, 48];

/** Memory as a line, and its limit as a dashed line. */
function Chart({ samples, bound }: { readonly samples: readonly number[]; readonly bound: number }) {
	const top = Math.max(bound, ...samples) * 1.1 || 1;
	const y = (bytesThen: number) => height - 1 - (bytesThen / top) * (height - 2);
	const points = samples.length === 1 ? [...samples, ...samples] : samples;
	const step = width / Math.max(points.length - 1, 1);
	const label = w("chart", { used: bytes(samples.at(-1) ?? 0), bound: bytes(bound) });
	return (
		<svg
			class="host-chart d-mirrors"
			width={width}
			height={height}
			viewBox={`0 0 ${width} ${height}`}
			role="img"
		>
			<title>{label}</title>
			<path d={`M0 ${y(bound)}H${width}`} stroke-dasharray="4 4" />
			<polyline points={points.map((sample, at) => `${at * step},${y(sample).toFixed(1)}`).join(" ")} />
		</svg>
	);
}
