package sample

// hymns are in the public domain: texts of 1719 to 1861.
const hymns = `Holy, Holy, Holy
(Reginald Heber, 1826)

[Verse 1]
Holy, holy, holy! Lord God Almighty!
Early in the morning our song shall rise to Thee;
Holy, holy, holy! merciful and mighty!
God in three Persons, blessed Trinity!

[Verse 2]
Holy, holy, holy! all the saints adore Thee,
Casting down their golden crowns around the glassy sea;
Cherubim and seraphim falling down before Thee,
Who wert, and art, and evermore shalt be.

[Verse 3]
Holy, holy, holy! though the darkness hide Thee,
Though the eye of sinful man Thy glory may not see,
Only Thou art holy; there is none beside Thee,
Perfect in power, in love, and purity.

[Verse 4]
Holy, holy, holy! Lord God Almighty!
All Thy works shall praise Thy Name, in earth, and sky, and sea;
Holy, holy, holy! merciful and mighty!
God in three Persons, blessed Trinity!

---
Amazing Grace
(John Newton, 1779)

[Verse 1]
Amazing grace! (how sweet the sound)
That saved a wretch like me!
I once was lost, but now am found,
Was blind, but now I see.

[Verse 2]
'Twas grace that taught my heart to fear,
And grace my fears relieved;
How precious did that grace appear
The hour I first believed!

[Verse 3]
Through many dangers, toils, and snares,
I have already come;
'Tis grace hath brought me safe thus far,
And grace will lead me home.

[Verse 4]
The Lord has promised good to me,
His word my hope secures;
He will my shield and portion be
As long as life endures.

---
O Come, O Come, Emmanuel
(John Mason Neale, 1861)

[Verse 1]
O come, O come, Emmanuel,
And ransom captive Israel,
That mourns in lonely exile here,
Until the Son of God appear.

[Refrain]
Rejoice! Rejoice! Emmanuel
Shall come to thee, O Israel.

---
O Come, All Ye Faithful
(Frederick Oakeley, 1852)

[Verse 1]
O come, all ye faithful, joyful and triumphant,
O come ye, O come ye to Bethlehem;
Come and behold Him, born the King of angels.

[Refrain]
O come, let us adore Him,
O come, let us adore Him,
O come, let us adore Him, Christ the Lord.

---
Joy to the World
(Isaac Watts, 1719)

[Verse 1]
Joy to the world! the Lord is come;
Let earth receive her King;
Let every heart prepare Him room,
And heaven and nature sing.

[Verse 2]
Joy to the earth! the Saviour reigns;
Let men their songs employ;
While fields and floods, rocks, hills, and plains
Repeat the sounding joy.

---
Silent Night
(John Freeman Young, 1859)

[Verse 1]
Silent night, holy night,
All is calm, all is bright
Round yon virgin mother and child,
Holy infant so tender and mild,
Sleep in heavenly peace.
`
