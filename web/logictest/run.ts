import "./address.test";
import "./changes.test";
import "./eventstream.test";
import "./language.test";
import "./shape.test";
import "./slide.test";
import "./timing.test";
