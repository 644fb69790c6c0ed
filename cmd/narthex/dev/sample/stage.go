package sample

import (
	"context"
	"net/http"
	"time"
)

// hymns are in the public domain: texts of 1826 and 1779.
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
`

// psalm is Psalm 23 in the King James Version, which is in the public domain.
const psalm = `The LORD is my shepherd; I shall not want.
He maketh me to lie down in green pastures: he leadeth me beside the still waters.

He restoreth my soul: he leadeth me in the paths of righteousness for his name's sake.

Yea, though I walk through the valley of the shadow of death, I will fear no evil: for thou art with me; ` +
	`thy rod and thy staff they comfort me.

Thou preparest a table before me in the presence of mine enemies: thou anointest my head with oil; ` +
	`my cup runneth over.

Surely goodness and mercy shall follow me all the days of my life: and I will dwell in the house ` +
	`of the LORD for ever.`

// planned is an item of an order of service, as POST /services/{id}/items expects it.
type planned struct {
	Kind    string  `json:"kind"`
	Title   string  `json:"title"`
	Text    string  `json:"text"`
	SongID  *string `json:"songId"`
	Seconds int     `json:"seconds"`
}

// stage plans the next Sunday with eight items, and the five Sundays after it.
func stage(ctx context.Context, c *caller) error {
	if err := c.send(ctx, http.MethodPost, "/songs/import", "text/plain", []byte(hymns), nil); err != nil {
		return err
	}
	var listed struct {
		Songs []struct {
			ID string `json:"id"`
		} `json:"songs"`
	}
	if err := c.send(ctx, http.MethodGet, "/songs", "", nil, &listed); err != nil {
		return err
	}
	grace, holy := &listed.Songs[0].ID, &listed.Songs[1].ID
	whole := []planned{
		{Kind: "notice", Title: "Welcome", Text: "Good that you are here.", Seconds: 120},
		{Kind: "song", SongID: holy, Seconds: 240},
		{Kind: "talk", Title: "Prayer", Seconds: 180},
		{Kind: "reading", Title: "Psalm 23", Text: psalm, Seconds: 180},
		{Kind: "talk", Title: "Sermon: The good shepherd", Seconds: 1500},
		{Kind: "song", SongID: grace, Seconds: 240},
		{Kind: "notice", Title: "Notices", Text: "Shared lunch next Sunday.\nChoir practice on Thursday at 19:00.",
			Seconds: 300},
		{Kind: "talk", Title: "Blessing", Seconds: 60},
	}
	for week, items := range [][]planned{whole, whole[:3], whole[1:4], whole[:2], nil, nil} {
		service := map[string]any{"title": "Sunday service", "startsAt": timestamp(sunday(c.now, week))}
		var created struct {
			ID string `json:"id"`
		}
		if err := c.json(ctx, http.MethodPost, "/services", service, &created); err != nil {
			return err
		}
		for _, item := range items {
			if err := c.json(ctx, http.MethodPost, "/services/"+created.ID+"/items", item, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// sunday returns the next Sunday at ten, or the one so many weeks later.
func sunday(now time.Time, weeks int) time.Time {
	days := (7 - int(now.Weekday())) % 7
	if days == 0 && now.Hour() >= 10 {
		days = 7
	}
	return time.Date(now.Year(), now.Month(), now.Day()+days+7*weeks, 10, 0, 0, 0, now.Location())
}
