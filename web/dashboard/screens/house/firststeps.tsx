import { useEffect } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Door } from "../../../kit/icons";
import type { App } from "../../app/app";
import { noSteps } from "../../app/lastvisit";
import type { Resource } from "../../data/resource";
import { Link } from "../../shell/anchor";
import { useLive } from "../../shell/live";
import { keepSteps, readSteps, type Step, type Steps, stepsKept, stepsOf } from "./steps";
import { w } from "./stepwords";

interface FirstStepsProps {
	readonly app: App;
	/** What is there, once it is known. */
	readonly found: Resource<Steps> | undefined;
	/** Called when it is known: until then Home waits, so that nothing moves. */
	known(found: Resource<Steps>): void;
}

const places: Readonly<Record<Step, string>> = {
	name: "#/admin/house",
	colour: "#/admin/house",
	person: "#/admin/people",
	screen: "#/admin/screens",
	notice: "#/m/announcements/new",
};

/** The path of a new house on Home: each step has a door, lit when the server says that it is done. */
export function FirstSteps({ app, found, known }: FirstStepsProps) {
	useEffect(() => {
		if (found !== undefined) return;
		const asked = app.data.resource(() => readSteps(app));
		void asked.load().then(() => known(asked));
	}, []);
	useLive(found, undefined, true);
	const house = app.data.house.value.value;
	const there = found?.value.value;
	const steps = house && there ? stepsOf(house, there) : undefined;
	const next = [...(steps ?? [])].find(([, isDone]) => !isDone)?.[0];
	useEffect(() => {
		if (steps !== undefined && next === undefined) keepSteps(noSteps);
	});
	if (steps === undefined || next === undefined || stepsKept.value === noSteps) return null;
	const done = [...steps.values()].filter(Boolean).length;
	return (
		<section class="host-steps" aria-labelledby="host-steps">
			<div class="host-steps-head">
				<h2 id="host-steps">{w("title")}</h2>
				<p class="d-second">{w("progress", { done, count: steps.size })}</p>
				<Button kind="quiet" small label={w("hideSteps")} onPress={() => keepSteps(noSteps)}>
					{w("hide")}
				</Button>
			</div>
			<ol>
				{[...steps].map(([step, isDone]) => (
					<li key={step} class={isDone ? "host-step-done" : undefined}>
						<Door state={isDone ? "lit" : step === next ? "half" : "shut"} />
						<div>
							<strong>{w(step)}</strong>
							{isDone ? <span class="d-second"> {w("done")}</span> : <p class="d-second">{w(`${step}Help`)}</p>}
						</div>
						{!isDone && (
							<p>
								{step === "colour" && (
									<Button kind="quiet" onPress={() => keepSteps("blue")}>
										{w("keepBlue")}
									</Button>
								)}
								<Link app={app} to={places[step]} class={step === next ? "d-button d-primary" : "d-button"}>
									{w(`${step}Go`)}
								</Link>
							</p>
						)}
					</li>
				))}
			</ol>
		</section>
	);
}
