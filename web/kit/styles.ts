import accents from "./styles/accents.css";
import elements from "./styles/elements.css";
import parts from "./styles/parts.css";
import tokens from "./styles/tokens.css";

/** The kit's stylesheet: tokens, plain elements, components. */
export const kitStyles = tokens + accents + elements + parts;
