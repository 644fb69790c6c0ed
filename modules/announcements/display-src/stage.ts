import { type Context, type Live, live } from "@narthex/sdk";
import { applied, type Board, type BoardSlide, type BoardUpdate, ownKind } from "./board";
import { SlideKinds } from "./contributed";
import { fade, fadeFor } from "./fade";
import { type Frame, frameKey, frameOf, idleFrame, sameSlide } from "./frame";
import { isForScreen } from "./only";
import { Pictures } from "./pictures";
import { turnAt, type Turn } from "./rotation";
import { Strip } from "./strip";

/** How often the stage looks for due slides, in milliseconds. This costs almost nothing. */
const lookEvery = 250;
/** How long a slide that could not be made is skipped, in milliseconds. */
const brokenFor = 60_000;

export interface StageOptions {
	readonly context: Context;
	readonly container: HTMLElement;
	/** The channel to follow, and the route of its pictures. */
	readonly channel: string;
	readonly images: string;
	/** Called after every change of the board, with the server's time. */
	changed?(board: Board, now: number): void;
}

/**
 * Shows the board: one slide after the other. Each is made before the previous one disappears. The last frame
 * stays until the next one is ready, so the stage is never blank.
 */
export class Stage {
	readonly #stage = document.createElement("div");
	readonly #strip: Strip;
	readonly #pictures: Pictures;
	readonly #kinds: SlideKinds;
	readonly #ready = new Map<string, Promise<Frame | undefined>>();
	readonly #broken = new Map<string, number>();
	readonly #resized = new ResizeObserver(() => this.#fit());
	#live: Live<Board> | undefined;
	#timer: ReturnType<typeof setInterval> | undefined;
	#leaving = new Map<Frame, ReturnType<typeof setTimeout>>();
	#turn: Turn | undefined;
	#wanted: string | undefined;
	#frame: Frame | undefined;

	constructor(readonly options: StageOptions) {
		const { context, container, images } = options;
		this.#stage.className = "stage d-themed";
		this.#stage.dataset["theme"] = "dark"; // also in the light Dashboard
		container.append(this.#stage);
		this.#pictures = new Pictures(context, images);
		this.#kinds = new SlideKinds(context.contributions);
		this.#strip = new Strip(this.#stage, context.locale);
	}

	start(): void {
		const { context, channel, changed } = this.options;
		this.#live = live<Board, BoardUpdate>(context, channel, {
			apply: applied,
			changed: (board) => {
				this.#look();
				changed?.(board, this.#now());
			},
		});
		this.#timer = setInterval(() => this.#look(), lookEvery);
		this.#resized.observe(this.#stage);
	}

	stop(): void {
		this.#live?.stop();
		clearInterval(this.#timer);
		this.#resized.disconnect();
		for (const [frame, timer] of this.#leaving) {
			clearTimeout(timer);
			frame.dispose();
		}
		for (const frame of this.#ready.values()) void frame.then((made) => made?.dispose());
		this.#frame?.dispose();
		this.#stage.remove();
	}

	#now(): number {
		return this.#live?.now() ?? this.options.context.serverNow();
	}

	/** Finds the slide that is due now, and shows it. */
	#look(): void {
		const board = this.#live?.state;
		if (board === undefined) return;
		const now = this.#now();
		const showable = (slide: BoardSlide) => this.#showable(slide, now);
		const before = this.#turn;
		this.#turn = turnAt(board, now, before, showable);
		this.#strip.tick(board.settings.showClock ? now : undefined, this.options.context.house?.name ?? "");
		const accent = document.documentElement.dataset["accent"] ?? "blue";
		if (this.#stage.dataset["accent"] !== accent) this.#stage.dataset["accent"] = accent;
		const { slide, slot } = this.#turn;
		const wanted = slide ? frameKey(slide) : `idle:${board.settings.idleMessage}`;
		const again = this.#frame?.key === wanted && this.#frame.incomplete && slot !== before?.slot;
		if (wanted !== this.#wanted || again) {
			this.#wanted = wanted;
			if (slide) void this.#show(slide);
			else this.#swap(idleFrame(wanted, board.settings.idleMessage, this.options.context.locale));
		} else if (this.#frame?.key === wanted) {
			this.#prepareNext(board, now);
		}
	}

	/** Makes the next slide in advance. */
	#prepareNext(board: Board, now: number): void {
		const later = now + board.settings.slideSeconds * 1000;
		const next = turnAt(board, later, undefined, (slide) => this.#showable(slide, later)).slide;
		if (next && frameKey(next) !== this.#wanted) void this.#prepare(next);
	}

	#showable(slide: BoardSlide, now: number): boolean {
		if (!isForScreen(slide.only, this.options.context.screen?.label)) return false;
		if (slide.kind !== ownKind && !this.#kinds.has(slide.kind)) return false;
		if (!this.#kinds.isDue(slide, now)) return false;
		const until = this.#broken.get(frameKey(slide));
		return until === undefined || until < performance.now();
	}

	/** Makes a frame once. A frame that was made in advance for another turn is disposed of. */
	#prepare(slide: BoardSlide): Promise<Frame | undefined> {
		const key = frameKey(slide);
		const known = this.#ready.get(key);
		if (known !== undefined) return known;
		for (const [other, frame] of this.#ready) {
			if (other === this.#wanted) continue;
			this.#ready.delete(other);
			void frame.then((made) => made !== this.#frame && made?.dispose());
		}
		const frame = frameOf(slide, {
			context: this.options.context,
			pictures: this.#pictures,
			kinds: this.#kinds,
			room: () => ({
				width: this.#stage.clientWidth || innerWidth,
				height: this.#stage.clientHeight || innerHeight,
			}),
			now: () => this.#now(),
		});
		this.#ready.set(key, frame);
		return frame;
	}

	async #show(slide: BoardSlide): Promise<void> {
		const key = frameKey(slide);
		const frame = await this.#prepare(slide);
		this.#ready.delete(key);
		if (this.options.context.signal.aborted || this.#wanted !== key) {
			frame?.dispose();
			return;
		}
		if (frame === undefined) {
			this.#broken.set(key, performance.now() + brokenFor);
			this.#wanted = undefined; // the next look chooses another one
			return;
		}
		if (!this.#kinds.isDue(slide, this.#now())) { // its kind has only been loaded now
			frame.dispose();
			this.#wanted = undefined;
			return;
		}
		this.#swap(frame);
	}

	#swap(frame: Frame): void {
		const old = this.#frame;
		this.#frame = frame;
		this.#stage.append(frame.element);
		this.#fit();
		this.#strip.wander();
		if (old === undefined) return;
		const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
		const turns = !sameSlide(old.key, frame.key); // a corrected slide appears without a transition
		const fades = turns && this.#live?.state?.settings.transition === "fade" && !quiet;
		if (fades) fade(old.element, frame.element);
		const leave = () => {
			this.#leaving.delete(old);
			old.element.remove();
			old.dispose();
		};
		if (fades) this.#leaving.set(old, setTimeout(leave, fadeFor));
		else leave();
	}

	#fit(): void {
		this.#frame?.fit();
		this.#strip.place(this.#frame?.element.dataset["place"] ?? "text");
	}
}
