export * from "../../host/shape";
