import { useEffect, useState } from "preact/hooks";

/** Returns the remaining whole seconds of a wait, 0 when it is over, and a function that begins a wait. */
export function useCountdown(): [number, (seconds: number) => void] {
	const [end, setEnd] = useState(0);
	const [left, setLeft] = useState(0);
	useEffect(() => {
		if (end === 0) return;
		const tick = () => setLeft(Math.max(0, Math.ceil((end - performance.now()) / 1_000)));
		tick();
		const timer = setInterval(() => {
			tick();
			if (performance.now() >= end) clearInterval(timer);
		}, 250);
		return () => clearInterval(timer);
	}, [end]);
	return [left, (seconds) => setEnd(performance.now() + seconds * 1_000)];
}
