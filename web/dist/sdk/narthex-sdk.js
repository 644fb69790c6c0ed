// web/sdk/narthex-sdk.ts
var sdkVersion = "0.1.2";
var moduleUiAbi = 1;
var displayAbi = 1;
var contributionAbi = 1;
function defineModuleUi(ui) {
  return Object.freeze({ narthex: "module-ui", abi: moduleUiAbi, definition: ui });
}
function defineDisplay(display) {
  return Object.freeze({ narthex: "display", abi: displayAbi, definition: display });
}
function defineContribution(value) {
  return Object.freeze({ narthex: "contribution", abi: contributionAbi, definition: value });
}
export {
  contributionAbi,
  defineContribution,
  defineDisplay,
  defineModuleUi,
  displayAbi,
  moduleUiAbi,
  sdkVersion
};
