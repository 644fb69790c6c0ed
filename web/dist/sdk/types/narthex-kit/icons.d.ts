/** All icons: outlines on a grid of 24, by name. A module's manifest may name one. */
declare const drawings: {
    readonly home: "M4 20V11a8 8 0 0 1 16 0v9M2.5 20h19M9.5 20v-5.5a2.5 2.5 0 0 1 5 0V20";
    readonly modules: string;
    readonly key: "M11.8 11.8 20 20m-2.5-2.5-2 2M12.5 8a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0z";
    readonly list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01";
    readonly screen: "M3 5h18v11H3zM9 20h6M12 16v4";
    readonly person: "M12 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM5 20a7 7 0 0 1 14 0";
    readonly people: "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19a6 6 0 0 1 12 0M15.5 5.3a3 3 0 0 1 0 5.4M17.5 13.7A6 6 0 0 1 21 19";
    readonly activity: "M12 7.5V12l3 2M20 12a8 8 0 1 1-2.5-5.8M20 4v3.5h-3.5";
    readonly house: "M3.5 11 12 4l8.5 7M6 9.5V20h12V9.5M10 20v-4a2 2 0 0 1 4 0v4";
    readonly search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20 20";
    readonly menu: "M4 7h16M4 12h16M4 17h16";
    readonly plus: "M12 5v14M5 12h14";
    readonly check: "M5 12.5 10 17l9-10";
    readonly x: "M6 6l12 12M18 6 6 18";
    readonly more: "M5.5 12h.01M12 12h.01M18.5 12h.01";
    readonly grip: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01";
    readonly up: "M12 19V5M6 11l6-6 6 6";
    readonly down: "M12 5v14M6 13l6 6 6-6";
    readonly chevronDown: "M6 9.5 12 15l6-5.5";
    readonly chevronRight: "M9.5 6 15 12l-5.5 6";
    readonly print: "M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z";
    readonly copy: "M9 9h11v11H9zM15 9V4H4v11h5";
    readonly undo: "M8 5 4 9l4 4M4 9h10a5.5 5.5 0 0 1 0 11h-3";
    readonly refresh: "M19.5 9A8 8 0 1 0 20 12M20 4.5V9h-4.5";
    readonly alert: "M12 4 2.5 20h19zM12 10v4.5M12 17.3h.01";
    readonly info: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 11v5M12 8h.01";
    readonly offline: string;
    readonly eye: string;
    readonly eyeOff: string;
    readonly mail: "M3 5.5h18v13H3zM3 6.5l9 7 9-7";
    readonly calendar: "M4 6h16v14H4zM4 10.5h16M8 3.5V8M16 3.5V8";
    readonly clock: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 7.5V12l3 2";
    readonly timer: "M12 20.5a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM12 10v3.5M9.5 3.5h5M17.5 7l1.5-1.5";
    readonly sliders: "M4 8h9M17 8h3M15 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM4 16h3M11 16h9M9 18a2 2 0 1 0 0-4 2 2 0 0 0 0 4z";
    readonly upload: "M12 16V4M7 8.5 12 4l5 4.5M4 15v5h16v-5";
    readonly trash: "M4 6.5h16M9 6.5V4h6v2.5M6 6.5 7 20h10l1-13.5M10 10.5v6M14 10.5v6";
    readonly pencil: "M4 20l1-4.5L16 4.5l3.5 3.5-11 11zM13.5 7l3.5 3.5";
    readonly signOut: "M10 4H4.5v16H10M9.5 12H20M16 8l4 4-4 4";
    readonly sun: string;
    readonly moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z";
    readonly play: "M7 4.5v15L19.5 12z";
    readonly external: "M14 4h6v6M20 4l-9 9M10 5H4v15h15v-6";
    readonly qr: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2.5v2.5H14zM20 14v.01M20 20h-2.5M14 20h.01";
    readonly globe: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM3.5 12h17M12 3.5c5 5 5 12 0 17-5-5-5-12 0-17z";
    readonly door: "M6 20.5V10a6 6 0 0 1 12 0v10.5M3.5 20.5h17M14.5 14h.01";
    readonly text: "M4 6.5h16M4 12h16M4 17.5h10";
    readonly megaphone: "M4 10v5h3l9 4.5v-14L7 10zM8 15.5l1 5h2.5l-.8-4M19 9.5a4 4 0 0 1 0 6";
    readonly lectern: "M8 3.5h8l2.5 6h-13zM7 9.5c0 3 2 4.5 5 4.5s5-1.5 5-4.5M12 14v6.5M6 20.5h12";
    readonly rota: "M4 6h16v14H4zM4 10.5h16M8 3.5V8M16 3.5V8M9 15l2.5 2 4-3.5";
    readonly music: string;
    readonly book: "M12 6.5C9.5 5 6.5 4.5 3 4.5v14c3.5 0 6.5.5 9 2 2.5-1.5 5.5-2 9-2v-14c-3.5 0-6.5.5-9 2zM12 6.5v14";
    readonly heart: "M12 20C6 15.5 3.5 12.5 3.5 9A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 8.5 2c0 3.5-2.5 6.5-8.5 11z";
    readonly cup: string;
};
export type IconName = keyof typeof drawings;
export declare const iconNames: IconName[];
interface IconProps {
    /** An unknown name draws a door. */
    readonly name: IconName | (string & {});
    readonly size?: number;
}
export declare function Icon({ name, size }: IconProps): import("preact").JSX.Element;
export type DoorState = "lit" | "half" | "shut" | "barred";
/** A state drawn as a door: open and lit, half lit, closed, or barred. */
export declare function Door({ state }: {
    readonly state: DoorState;
}): import("preact").JSX.Element;
/** The logo: a door within a door. */
export declare function Mark({ height }: {
    readonly height?: number;
}): import("preact").JSX.Element;
export {};
