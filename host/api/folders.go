package api

import (
	"context"

	"github.com/slipway-dev/slipway/host"
)

func (a *API) folderRoutes() []Route {
	const all, one = "folders:uid:*", "folders:uid:{uid}"
	read, write := Action(host.ActionFoldersRead), Action(host.ActionFoldersWrite)
	create := Action(host.ActionFoldersCreate, host.ActionFoldersWrite)
	remove := Action(host.ActionFoldersDelete, host.ActionFoldersWrite)
	return []Route{
		{"GET", "/api/folders", read.On(all), call(a.folders), Doc{Summary: "List folders"}},
		{"POST", "/api/folders", create.On(all), call(a.createFolder), Doc{Summary: "Create a folder"}},
		{"GET", "/api/folders/{uid}", read.On(one), call(a.folder), Doc{Summary: "Get a folder"}},
		{"PUT", "/api/folders/{uid}", write.On(one), call(a.renameFolder), Doc{Summary: "Rename a folder"}},
		{"DELETE", "/api/folders/{uid}", remove.On(one), call(a.deleteFolder), Doc{Summary: "Delete a folder and its dashboards"}},
	}
}

// folderPath is the path of a folder.
type folderPath struct {
	UID string `path:"uid" noun:"Folder"`
}

type folder struct {
	ID    int64  `json:"id"`
	UID   string `json:"uid"`
	Title string `json:"title"`
}

func folderOf(f host.Folder) folder { return folder(f) }

type folderTitle struct {
	Title string `json:"title" jsonschema:"required"`
}

type folderBody struct {
	UID string `json:"uid"`
	folderTitle
}

// deleted is the response to the deletion of a folder or dashboard.
type deleted struct {
	message
	ID    int64  `json:"id"`
	Title string `json:"title"`
}

func (a *API) folders(ctx context.Context, who host.Identity, in pageQuery) ([]folder, error) {
	found, err := a.store.Folders(ctx, who.OrgID, in.page())
	return mapped(found, folderOf), err
}

func (a *API) folder(ctx context.Context, who host.Identity, in folderPath) (folder, error) {
	f, err := a.store.Folder(ctx, who.OrgID, in.UID)
	return folderOf(f), err
}

func (a *API) createFolder(ctx context.Context, who host.Identity, in struct{ Body folderBody }) (folder, error) {
	f, err := a.store.CreateFolder(ctx, who.OrgID, host.Folder{UID: in.Body.UID, Title: in.Body.Title})
	return folderOf(f), err
}

func (a *API) renameFolder(ctx context.Context, who host.Identity, in struct {
	folderPath
	Body folderTitle
}) (folder, error) {
	f, err := a.store.RenameFolder(ctx, who.OrgID, host.Folder{UID: in.UID, Title: in.Body.Title})
	return folderOf(f), err
}

func (a *API) deleteFolder(ctx context.Context, who host.Identity, in folderPath) (deleted, error) {
	f, err := a.store.DeleteFolder(ctx, who.OrgID, in.UID)
	return deleted{message{Message: "Folder deleted"}, f.ID, f.Title}, err
}
