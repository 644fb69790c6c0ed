package sample

// psalm23 and the other readings are of the King James Version, which is in the public domain.
const psalm23 = `The LORD is my shepherd; I shall not want.
He maketh me to lie down in green pastures: he leadeth me beside the still waters.

He restoreth my soul: he leadeth me in the paths of righteousness for his name's sake.

Yea, though I walk through the valley of the shadow of death, I will fear no evil: for thou art with me; ` +
	`thy rod and thy staff they comfort me.

Thou preparest a table before me in the presence of mine enemies: thou anointest my head with oil; ` +
	`my cup runneth over.

Surely goodness and mercy shall follow me all the days of my life: and I will dwell in the house ` +
	`of the LORD for ever.`

const (
	psalm24 = `Lift up your heads, O ye gates; and be ye lift up, ye everlasting doors; ` +
		`and the King of glory shall come in.

Who is this King of glory? The LORD strong and mighty, the LORD mighty in battle.`

	psalm100 = `Make a joyful noise unto the LORD, all ye lands.
Serve the LORD with gladness: come before his presence with singing.

For the LORD is good; his mercy is everlasting; and his truth endureth to all generations.`

	psalm121 = `I will lift up mine eyes unto the hills, from whence cometh my help.
My help cometh from the LORD, which made heaven and earth.

The LORD shall preserve thy going out and thy coming in from this time forth, and even for evermore.`

	isaiah40 = `The voice of him that crieth in the wilderness, Prepare ye the way of the LORD, ` +
		`make straight in the desert a highway for our God.

Every valley shall be exalted, and every mountain and hill shall be made low.`

	corinthians13 = `Charity suffereth long, and is kind; charity envieth not; charity vaunteth not itself, ` +
		`is not puffed up.

And now abideth faith, hope, charity, these three; but the greatest of these is charity.`

	luke1 = `And Mary said, My soul doth magnify the Lord,
and my spirit hath rejoiced in God my Saviour.

He hath put down the mighty from their seats, and exalted them of low degree.`

	luke2 = `And the angel said unto them, Fear not: for, behold, I bring you good tidings of great joy, ` +
		`which shall be to all people.

For unto you is born this day in the city of David a Saviour, which is Christ the Lord.`
)
