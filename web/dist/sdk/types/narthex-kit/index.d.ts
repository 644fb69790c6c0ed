/**
 * The kit: the components that the Dashboard, modules and displays share. They handle keyboard, screen
 * readers, right-to-left text, dark theme, forced colours and small screens.
 */
export { accents, type Accent } from "./accents";
export { Button, IconButton, type ButtonProps, type IconButtonProps } from "./button";
export { Chip, type ChipProps } from "./chip";
export { clockError, DateInput, TimeInput, type ClockInputProps } from "./clockinput";
export type { CollectionContext, CollectionField, CollectionFields, CollectionInputProps, CollectionLabel, CollectionRow, CollectionScreenProps, CollectionValues, CollectionWords, } from "./collection";
export { Combobox, type ComboboxOption, type ComboboxProps } from "./combobox";
export { CopyButton, type CopyButtonProps } from "./copy";
export { Confirm, Dialog, Questions, type DialogProps, type Question } from "./dialog";
export { DraftNote, mayClose, OtherVersion, useDraft, type Draft } from "./draft";
export { Checkbox, CodeInput, Field, focusFirstError, Form, MomentField, PasswordField, SelectField, TextField, type FieldProps, type TextFieldProps, } from "./field";
export { FileButton, type FileButtonProps } from "./filebutton";
export { houseTime, instantOf, localTime, zoneOf } from "./house";
export { Door, Icon, iconNames, Mark, type DoorState, type IconName } from "./icons";
export type { ImportReportProps } from "./importreport";
export { EmptyState, Note, PageHeader, ScreenHeader, Skeleton, Tile, ZoneNote } from "./layout";
export { hyphenated, lineHeightFor } from "./measure";
export { Menu, type MenuItem, type MenuProps } from "./menu";
export { nameError } from "./names";
export { CollectionScreen, ImportReport, PastImports } from "./later";
export type { PastImport, PastImportsProps, UndoneImport } from "./pastimports";
export { initialsOf } from "./person";
export { Grip, placed, ReorderList, useReorder, type Reorder } from "./reorder";
export { Status } from "./status";
export { Segments, Switch, type Segment } from "./switch";
export { ListRow, Table, type Column, type TableProps } from "./table";
export { restoreFocus, 
/** Its other name, for modules that use it: an export is never removed. */
restoreFocus as giveBack, ToastRegion, Toasts, type Toast, type ToastAction, } from "./toast";
export { importQuery, useTransfer, type ImportAnswer, type ImportChoices, type ImportProblem, type TablePreview, type Transfer, } from "./transfer";
export { kitLocale } from "./words";
